#include "weft/inspect/kinds/classifier.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "weft/core/error.h"
#include "weft/data/text/plain_tokeniser.h"
#include "weft/inspect/integrated_gradients.h"
#include "weft/inspect/kinds/vector_classifier.h"
#include "weft/inspect/most_probable.h"
#include "weft/inspect/text_words.h"
#include "weft/inspect/trace_maps.h"
#include "weft/predict/classification/label_probabilities.h"
#include "weft/predict/token_limit.h"

namespace weft::inspect {
namespace {

class TextInspector {
 public:
  TextInspector(const model_file::ClassifierSession& session, const InspectionOptions& options)
      : session_(&session), model_(session.model), options_(options) {
    for (const nn::NamedParameter& named : nn::parameters_of(model_)) named.parameter->freeze();
  }

  Example operator()(std::string_view text) {
    Example out{.name = {}, .input = std::string(text)};
    std::vector<std::string_view> words;
    data::for_each_word(text, [&](std::string_view word) { words.push_back(word); });
    if (words.empty()) return out;
    const data::Tokeniser& tokeniser = *session_->text.tokeniser;
    const int64_t special = model_.options.with_begin() ? 2 : 1;
    const int64_t limit =
        predict::token_limit(options_.max_length, model_.options.table_capacity(), special);
    const data::EncodedText encoded =
        data::encode_text(tokeniser, predict::token_params(model_.options, limit), text, words);
    if (encoded.is_cropped) out.note = fmt::format("cropped to {} tokens", limit);
    ids_ = encoded.ids;
    words_ = words_of(tokeniser, ids_, words);
    if (words_.words.empty()) {
      out.note = "no tokens";
      return out;
    }
    out.axes = {{"tokens", TokenAxis{data::pieces(tokeniser, ids_)}},
                {"words", TokenAxis{words_.words}}};
    trace(out);
    explain(out);
    return out;
  }

 private:
  static data::Tokens tokens_of(const std::vector<int32_t>& ids) {
    data::Tokens out;
    out.add(ids);
    return out;
  }

  void trace(Example& out) {
    nn::AttentionTrace trace;
    nn::Context context;
    context.observer = &trace;
    logits_ = model_.logits(data::Field(tokens_of(ids_)), context);
    out.attentions = maps_of(trace, 0, [](const nn::AttentionKey&) {
      return MapAxes{kTokens, kTokens};
    });
  }

  void explain(Example& out) {
    const auto row = logits_.row_range(0, 1).span<float>();
    const predict::LabelScores probabilities = predict::probabilities_of(
        {{row.begin(), row.end()}, std::ssize(row)}, model_.options, session_->params.temperature);
    check_finite(row);
    const std::vector<float> without = logits_without_words();
    Attributions& attributions = out.attributions.emplace(
        Attributions{.words = kWords, .labels = {}, .gradients = {}, .leave_one_out = {}});
    std::vector<float> gradients, leave_one_out;
    const int64_t most = std::max<int64_t>(1, options_.alternatives);
    for (const int32_t label : most_probable(probabilities[0], most)) {
      const Contributions found = contributions(label);
      attributions.labels.push_back({.label = session_->labels().name(label),
                                     .column = {},
                                     .probability = probabilities[0][label],
                                     .score = found.score,
                                     .baseline_score = found.baseline_score,
                                     .is_complete = found.is_complete});
      const std::vector<float> by_word = words_.by_word(found.rows);
      gradients.insert(gradients.end(), by_word.begin(), by_word.end());
      for (size_t i = static_cast<size_t>(label); i < without.size(); i += row.size()) {
        leave_one_out.push_back(row[label] - without[i]);
      }
    }
    const Shape shape{std::ssize(attributions.labels), std::ssize(words_.words)};
    attributions.gradients = Tensor::from(gradients, shape);
    attributions.leave_one_out = Tensor::from(leave_one_out, shape);
    note_incomplete(out);
  }

  Contributions contributions(int32_t label) const {
    const auto& encoder = std::get<models::TextEncoder>(model_.encoder);
    const auto rows = ops::make_layout(Segments::uniform(1, std::ssize(ids_)));
    const Tensor x = encoder.embedding({ops::make_ids(ids_), rows}, {});  // [N, D]
    const BatchedScore score{[&](const Tensor& copies, int64_t count, const nn::Context& context) {
                               const auto all =
                                   ops::make_layout(Segments::uniform(count, std::ssize(ids_)));
                               return model_.logits(copies, all, context);  // [count, labels]
                             },
                             [&](int64_t copy) { return copy * model_.dims.labels + label; }};
    return integrated_gradients(x, without_words(encoder.embedding, x, rows, words_), score);
  }

  // Logits [words * labels] of the text without each word.
  std::vector<float> logits_without_words() const {
    std::vector<float> out;
    for_each_left_out(std::ssize(words_.words), std::ssize(ids_), [&](int64_t begin, int64_t end) {
      data::Tokens texts;
      for (int64_t w = begin; w < end; ++w) {
        texts.add(words_.without(ids_, static_cast<size_t>(w)));
      }
      const Tensor logits = model_.logits(data::Field(texts), {});
      for (int64_t i = 0; i < logits.rows(); ++i) {
        const auto row = logits.row_range(i, i + 1).span<float>();
        out.insert(out.end(), row.begin(), row.end());
      }
    });
    return out;
  }

  const model_file::ClassifierSession* session_;
  models::Classifier model_;  // with frozen parameters
  InspectionOptions options_;
  std::vector<int32_t> ids_;
  TextWords words_;
  Tensor logits_;  // [1, labels]
};

}  // namespace

Example inspect(const model_file::ClassifierSession& session, std::string_view text,
                const InspectionOptions& options) {
  const models::ClassifierOptions& model = session.model.options;
  if (model.is_sequence() || model.has_numbers()) {
    fail<OptionError>("inspect", "the model is of --labels {}; expected one or several",
                      model.labels.name());
  }
  if (session.trained_on.has_pairs()) {
    fail<OptionError>("inspect", "the model is of pairs of texts; expected one of single texts");
  }
  if (!model.is_text()) return inspect_vectors(session, std::string(text), options);
  return TextInspector(session, options)(text);
}

std::vector<PositionMaps> positions_of(const model_file::ClassifierSession& session) {
  const models::Classifier& model = session.model;
  if (const auto* text = std::get_if<models::TextEncoder>(&model.encoder)) {
    std::vector<PositionMaps> out = positions_of(*text);
    const models::EncoderOptions& o = model.options.encoder;
    if (!model.options.is_sequence() || !o.is_transformer()) return out;
    std::ranges::move(position_maps({{"decoder", model.decoder.embedding.position, o,
                                      rows_of_tokens(o.table_capacity())}}),
                      std::back_inserter(out));
    return out;
  }
  const auto& encoder = std::get<models::VectorEncoder>(model.encoder);
  if (!encoder.options.has_positions()) return {};
  const auto* image = model.options.input.get_if<models::ImageInput>();
  const ops::LayoutPtr rows = image != nullptr
                                  ? rows_of_patches(model.dims.image, image->patch_size)
                                  : rows_of_tokens(encoder.options.table_capacity());
  return position_maps({{"encoder", encoder.position, encoder.options, rows}});
}

void check_options(const model_file::ClassifierSession& session, const InspectionOptions& options) {
  std::vector<std::string_view> read;
  if (session.model.options.is_text()) read = {"max-length", "alternatives"};
  check_read(options, read, "with such a classifier");
}

}  // namespace weft::inspect
