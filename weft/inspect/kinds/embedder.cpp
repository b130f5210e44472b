#include "weft/inspect/kinds/embedder.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "weft/data/labels/labelled_corpus.h"
#include "weft/data/text/plain_tokeniser.h"
#include "weft/inspect/integrated_gradients.h"
#include "weft/inspect/most_probable.h"
#include "weft/inspect/text_words.h"
#include "weft/inspect/trace_maps.h"
#include "weft/ops/matmul.h"
#include "weft/ops/rows/unit_rows.h"
#include "weft/predict/embedding/embedder.h"
#include "weft/predict/token_limit.h"

namespace weft::inspect {
namespace {

class EmbeddingInspector {
 public:
  EmbeddingInspector(const model_file::EmbedderSession& session, const InspectionOptions& options,
                     const TextCollection& others)
      : session_(session), model_(session.model), options_(options), others_(others) {
    for (const nn::NamedParameter& named : nn::parameters_of(model_)) named.parameter->freeze();
  }

  Example operator()(std::string_view text) {
    Example out{.name = {}, .input = std::string(text)};
    const std::string* prompt = session_.prompts.find(session_.prompts.chosen);
    const std::string whole = (prompt == nullptr ? "" : *prompt) + out.input;
    std::vector<std::string_view> words;
    data::for_each_word(whole, [&](std::string_view word) { words.push_back(word); });
    if (words.empty()) return out;
    const models::EmbedderOptions& o = model_.options;
    const int64_t limit =
        predict::token_limit(options_.max_length, o.encoder.table_capacity(), o.special_symbols());
    const data::EncodedText encoded = data::encode_text(
        *session_.tokeniser, {.max_length = limit, .with_begin = o.with_begin()}, whole, {});
    if (encoded.is_cropped) out.note = fmt::format("cropped to {} tokens", limit);
    ids_ = encoded.ids;
    words_ = words_of(*session_.tokeniser, ids_, words);
    if (words_.words.empty()) {
      out.note = "no tokens";
      return out;
    }
    out.axes = {{"tokens", TokenAxis{data::pieces(*session_.tokeniser, ids_)}},
                {"words", TokenAxis{words_.words}}};
    trace(out);
    explain(out);
    return out;
  }

 private:
  void trace(Example& out) {
    nn::AttentionTrace trace;
    nn::Context context;
    context.observer = &trace;
    data::Tokens tokens;
    tokens.add(ids_);
    const Tensor vector = ops::unit_rows(model_(tokens, context), nullptr);
    vector_.assign(vector.data<float>(), vector.data<float>() + vector.size());
    check_finite(vector_);
    out.attentions = maps_of(trace, 0, [](const nn::AttentionKey&) {
      return MapAxes{kTokens, kTokens};
    });
  }

  float cosine(size_t other) const {
    double sum = 0;
    for (size_t i = 0; i < vector_.size(); ++i) {
      sum += double{vector_[i]} * others_.vectors[other][i];
    }
    return static_cast<float>(sum);
  }

  // The nearest texts of the collection, each once.
  std::vector<size_t> nearest(std::string_view text) const {
    std::vector<float> cosines;
    for (size_t i = 0; i < others_.texts.size(); ++i) cosines.push_back(cosine(i));
    std::vector<size_t> out;
    for (const int32_t index : most_probable(cosines, std::ssize(cosines))) {
      const auto i = static_cast<size_t>(index);
      const auto is_same = [&](size_t other) { return others_.texts[other] == others_.texts[i]; };
      if (others_.texts[i] == text || std::ranges::any_of(out, is_same)) continue;
      if (std::ssize(out) == std::max<int64_t>(1, options_.alternatives)) break;
      out.push_back(i);
    }
    return out;
  }

  void explain(Example& out) {
    const std::vector<size_t> found = nearest(out.input);
    if (found.empty()) return;
    const Tensor without = vectors_without_words();  // [words, E]
    Attributions& attributions = out.attributions.emplace(
        Attributions{.words = kWords, .labels = {}, .gradients = {}, .leave_one_out = {}});
    std::vector<float> gradients, leave_one_out;
    for (const size_t other : found) {
      const Tensor target = Tensor::from(others_.vectors[other], {1, std::ssize(vector_)});
      const Contributions parts = contributions(target);
      attributions.labels.push_back({.label = others_.texts[other],
                                     .column = {},
                                     .probability = cosine(other),
                                     .score = parts.score,
                                     .baseline_score = parts.baseline_score,
                                     .is_complete = parts.is_complete});
      const std::vector<float> by_word = words_.by_word(parts.rows);
      gradients.insert(gradients.end(), by_word.begin(), by_word.end());
      const Tensor cosines = ops::matmul(without, target, {.b = true}, nullptr);  // [words, 1]
      for (int64_t w = 0; w < cosines.rows(); ++w) {
        leave_one_out.push_back(cosine(other) - cosines.data<float>()[w]);
      }
    }
    const Shape shape{std::ssize(attributions.labels), std::ssize(words_.words)};
    attributions.gradients = Tensor::from(gradients, shape);
    attributions.leave_one_out = Tensor::from(leave_one_out, shape);
    note_incomplete(out);
  }

  Contributions contributions(const Tensor& target) const {
    const auto rows = ops::make_layout(Segments::uniform(1, std::ssize(ids_)));
    const Tensor x = model_.encoder.embedding({ops::make_ids(ids_), rows}, {});  // [N, D]
    const auto cosines = [&](const Tensor& copies, int64_t count, const nn::Context& context) {
      const auto all = ops::make_layout(Segments::uniform(count, std::ssize(ids_)));
      const nn::Memory states = model_.encoder.encode(copies, all, context);
      const Tensor vectors =
          ops::unit_rows(model_.vectors(states, context), context.tape);  // [count, E]
      return ops::matmul(vectors, target, {.b = true}, context.tape);     // [count, 1]
    };
    return integrated_gradients(x, without_words(model_.encoder.embedding, x, rows, words_),
                                {cosines, [](int64_t copy) { return copy; }});
  }

  // Of the text without each word; zeros where nothing is left.
  Tensor vectors_without_words() const {
    std::vector<Tensor> parts;
    const int64_t words = std::ssize(words_.words);
    for_each_left_out(words, std::ssize(ids_), [&](int64_t begin, int64_t end) {
      data::Tokens texts;
      for (int64_t w = begin; w < end; ++w) {
        texts.add(words_.without(ids_, static_cast<size_t>(w)));
      }
      parts.push_back(ops::unit_rows(model_(texts, {}), nullptr));
    });
    Tensor out = Tensor::empty({words, model_.width()});
    int64_t row = 0;
    for (const Tensor& part : parts) {
      std::copy_n(part.data<float>(), part.size(), out.data<float>() + row * out.cols());
      row += part.rows();
    }
    return out;
  }

  const model_file::EmbedderSession& session_;
  models::Embedder model_;  // with frozen parameters
  InspectionOptions options_;
  const TextCollection& others_;
  std::vector<int32_t> ids_;
  TextWords words_;
  std::vector<float> vector_;  // [E]
};

}  // namespace

TextCollection collect(const model_file::EmbedderSession& session, std::span<const Line> lines,
                       const InspectionOptions& options) {
  predict::TextBatchOptions batches;
  batches.max_length = options.max_length;
  const predict::Embedder embedder(session, {.normalise = "true"}, batches);
  Report report;
  const auto found = predict::predict(embedder, lines, report);
  TextCollection out;
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i].fault || lines[i].text.empty()) continue;
    out.texts.push_back(lines[i].text);
    out.vectors.push_back(found[i].values);
  }
  return out;
}

Example inspect(const model_file::EmbedderSession& session, std::string_view text,
                const InspectionOptions& options, const TextCollection& others) {
  return EmbeddingInspector(session, options, others)(text);
}

std::vector<PositionMaps> positions_of(const model_file::EmbedderSession& session) {
  return positions_of(session.model.encoder);
}

void check_options(const model_file::EmbedderSession&, const InspectionOptions& options) {
  check_read(options, {"max-length", "alternatives"}, "with an embedder");
}

}  // namespace weft::inspect
