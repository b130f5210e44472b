#include "weft/inspect/kinds/tagger.h"

#include <fmt/core.h>

#include <algorithm>

#include "weft/core/text/counted.h"
#include "weft/data/text/plain_tokeniser.h"
#include "weft/inspect/integrated_gradients.h"
#include "weft/inspect/progress.h"
#include "weft/inspect/text_words.h"
#include "weft/inspect/trace_maps.h"
#include "weft/predict/token_limit.h"

namespace weft::inspect {
namespace {

// Texts as a tagger reads them.
struct Texts {
  data::Tokens tokens, characters;
  data::Labels first_rows;

  void add(const data::EncodedText& text) {
    tokens.add(text.ids);
    first_rows.add(text.words);
    characters.add(text.characters);
  }
  models::TaggerInput input(bool has_characters) const {
    return {.tokens = tokens,
            .first_rows = first_rows,
            .characters = has_characters ? &characters : nullptr};
  }
};

class TagInspector {
 public:
  TagInspector(const model_file::TaggerSession& session, const InspectionOptions& options)
      : session_(&session), model_(session.model), most_explained_(options.most_explained) {
    for (const nn::NamedParameter& named : nn::parameters_of(model_)) named.parameter->freeze();
    params_ = {.by_word = true,
               .with_begin = model_.options.with_begin(),
               .characters = session.characters()};
    params_.max_length = predict::token_limit(
        options.max_length, model_.options.encoder.table_capacity(), params_.with_begin ? 2 : 1);
  }

  Example operator()(std::string_view text) {
    Example out{.name = {}, .input = std::string(text)};
    data::for_each_word(text, [&](std::string_view word) { words_.push_back(word); });
    if (words_.empty()) return out;
    encoded_ = encode(words_);
    if (encoded_.is_cropped) out.note = fmt::format("cropped to {} tokens", params_.max_length);
    words_.resize(encoded_.words.size());
    text_ = words_of(encoded_, words_);
    out.axes = {{"tokens", TokenAxis{data::pieces(session_->tokeniser(), encoded_.ids)}},
                {"words", TokenAxis{text_.words}}};
    trace(out);
    out.attributions.emplace(
        Attributions{.words = kWords, .labels = {}, .gradients = {}, .leave_one_out = {}});
    add_labels(*out.attributions);
    add_contributions(*out.attributions);
    add_leave_one_out(*out.attributions);
    note_incomplete(out);
    if (targets_.size() < out.attributions->labels.size()) {
      out.add_note(fmt::format("the labels of the first {} are explained; hint: --max-explained",
                               counted(most_explained_, "word")));
    }
    return out;
  }

 private:
  data::EncodedText encode(const std::vector<std::string_view>& words) const {
    return data::encode_text(session_->tokeniser(), params_, {}, words);
  }
  bool has_characters() const { return static_cast<bool>(params_.characters); }

  void trace(Example& out) {
    nn::AttentionTrace trace;
    nn::Context context;
    context.observer = &trace;
    Texts texts;
    texts.add(encoded_);
    scores_ = model_(texts.input(has_characters()), context);
    out.attentions = maps_of(trace, 0, [](const nn::AttentionKey&) {
      return MapAxes{kTokens, kTokens};
    });
  }

  // A label and where its score stands in the emissions of its column.
  struct Target {
    size_t column;
    int64_t row;
    int32_t label;
  };
  struct Label {
    Target target;
    ExplainedLabel label;

    // A label of the text always is.
    bool is_explained(int64_t most) const { return label.word < most; }
  };

  void add_labels(Attributions& attributions) {
    const auto& columns = model_.dims.columns;
    std::vector<Label> all;
    for (size_t c = 0; c < columns.size(); ++c) {
      for (int64_t n = 0; n < scores_.columns[c].emissions.rows(); ++n) {
        check_finite(scores_.columns[c].emissions.row_range(n, n + 1).span<float>());
      }
      const models::PredictedLabels given =
          models::best_labels(scores_.columns[c], columns[c], scores_.words, true);
      for (size_t i = 0; i < given.labels.size(); ++i) {
        all.push_back({.target = {c, static_cast<int64_t>(i), given.labels[i]},
                       .label = {.label = session_->labels()[c].name(given.labels[i]),
                                 .column = columns.size() == 1 ? "" : fmt::format("{}", c + 1),
                                 .word = columns[c].is_of_text ? -1 : static_cast<int64_t>(i),
                                 .probability = given.probabilities[i]}});
      }
    }
    std::stable_partition(all.begin(), all.end(),
                          [&](const Label& label) { return label.is_explained(most_explained_); });
    for (const Label& label : all) {
      attributions.labels.push_back(label.label);
      if (label.is_explained(most_explained_)) targets_.push_back(label.target);
    }
  }

  Shape shape() const { return {std::ssize(targets_), std::ssize(text_.words)}; }

  void add_contributions(Attributions& attributions) const {
    Texts one;
    one.add(encoded_);
    const auto rows = ops::make_layout(one.tokens.segments);
    const Tensor x = model_.embed(one.input(has_characters()), {});
    const Tensor baseline = without_words(model_.encoder.embedding, x, rows, text_);
    attributions.gradients = Tensor::empty(shape());
    Progress progress("labels are explained", std::ssize(targets_));
    for (size_t i = 0; i < targets_.size(); ++i) {
      const Contributions found = integrated_gradients(x, baseline, score_of(targets_[i]));
      attributions.labels[i].score = found.score;
      attributions.labels[i].baseline_score = found.baseline_score;
      attributions.labels[i].is_complete = found.is_complete;
      const std::vector<float> by_word = text_.by_word(found.rows);
      std::ranges::copy(by_word, attributions.gradients.data<float>() + i * by_word.size());
      progress.add_one();
    }
  }

  BatchedScore score_of(const Target& target) const {
    const auto forward = [this, target](const Tensor& x, int64_t copies,
                                        const nn::Context& context) {
      Texts texts;
      for (int64_t i = 0; i < copies; ++i) texts.add(encoded_);
      const models::TagScores scores = model_.scores(x, texts.input(false), context);
      return scores.columns[target.column].emissions;  // [copies * rows, labels]
    };
    const models::LabelColumn& column = model_.dims.columns[target.column];
    const int64_t rows = column.is_of_text ? 1 : std::ssize(encoded_.words);
    const auto element = [target, rows, labels = column.labels](int64_t copy) {
      return (copy * rows + target.row) * labels + target.label;
    };
    return {forward, element};
  }

  // Zero for a label's own word, and for the only word of a text.
  void add_leave_one_out(Attributions& attributions) const {
    attributions.leave_one_out = Tensor::zeros(shape());
    if (words_.size() == 1) return;
    for_each_left_out(std::ssize(words_), std::ssize(encoded_.ids),
                      [&](int64_t begin, int64_t end) { add_left_out(begin, end, attributions); });
  }

  void add_left_out(int64_t begin, int64_t end, Attributions& attributions) const {
    Texts texts;
    for (int64_t w = begin; w < end; ++w) {
      std::vector<std::string_view> others = words_;
      others.erase(others.begin() + w);
      texts.add(encode(others));
    }
    const models::TagScores without = model_(texts.input(has_characters()), {});
    for (size_t i = 0; i < targets_.size(); ++i) {
      const Target& target = targets_[i];
      const bool is_of_text = model_.dims.columns[target.column].is_of_text;
      for (int64_t w = begin; w < end; ++w) {
        if (!is_of_text && target.row == w) continue;
        const int64_t first = is_of_text ? w - begin : texts.first_rows.segments.begin(w - begin);
        const int64_t row = first + (is_of_text ? 0 : target.row - (target.row > w ? 1 : 0));
        const Tensor scores = without.columns[target.column].emissions.row_range(row, row + 1);
        attributions.leave_one_out.data<float>()[static_cast<int64_t>(i) * std::ssize(words_) + w] =
            static_cast<float>(attributions.labels[i].score) - scores.span<float>()[target.label];
      }
    }
  }

  const model_file::TaggerSession* session_;
  models::Tagger model_;  // with frozen parameters
  int64_t most_explained_;
  data::TokenOptions params_;
  std::vector<std::string_view> words_;
  data::EncodedText encoded_;
  TextWords text_;
  models::TagScores scores_;
  std::vector<Target> targets_;  // of the labels that are explained
};

}  // namespace

Example inspect(const model_file::TaggerSession& session, std::string_view text,
                const InspectionOptions& options) {
  return TagInspector(session, options)(text);
}

std::vector<PositionMaps> positions_of(const model_file::TaggerSession& session) {
  return positions_of(session.model.encoder);
}

void check_options(const model_file::TaggerSession&, const InspectionOptions& options) {
  check_read(options, {"max-length", "max-explained"}, "with a tagger");
}

}  // namespace weft::inspect
