#include "weft/tasks/tagging/validator.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "weft/core/error.h"
#include "weft/data/batcher.h"
#include "weft/data/labels/bio.h"
#include "weft/predict/tagging/tagger.h"

namespace weft::tasks {
namespace {

constexpr data::BatchLimits kTaggedLimits{.rows = 4096, .examples = 256};

// The names of some labels of a column.
std::vector<std::string_view> names_of(std::span<const int32_t> ids, const data::LabelSet& set) {
  std::vector<std::string_view> out;
  for (const int32_t id : ids) out.emplace_back(set.name(id));
  return out;
}

// The labels given to a batch, beside those of the corpus.
void add_batch(const model_file::TaggerSession& session, const data::Batch& batch,
               const models::TagScores& scores, predict::TagEvaluation& evaluation) {
  auto columns = predict::best_labels(session, scores, false);
  for (int64_t b = 0; b < batch.size(); ++b) {
    predict::TextLabels expected;
    for (size_t c = 0; c < session.labels().size(); ++c) {
      const auto& labels = std::get<data::Labels>(batch.fields[1 + c]);
      const auto begin = static_cast<size_t>(labels.segments.begin(b));
      const auto count = static_cast<size_t>(labels.segments.length(b));
      expected.push_back(
          names_of(std::span(labels.ids).subspan(begin, count), session.labels()[c]));
    }
    const predict::TaggedText found{.columns = std::move(columns[static_cast<size_t>(b)])};
    evaluation.add(expected, found.labels());
  }
}

}  // namespace

TagValidator::TagValidator(const TaggingOptions& options, const std::vector<data::LabelSet>& labels)
    : metrics_(options.validation.valid_metrics),
      fields_(options.read_fields()),
      weights_(options.objective.weights(labels.size())) {
  for (const data::LabelSet& set : labels) {
    marks_spans_.push_back(data::mark_spans(set.names()));
  }
  for (const std::string& metric : metrics_) {
    if (metric != "span-f1" || !columns_of(metric).empty()) continue;
    fail<OptionError>("--valid-metrics",
                      "span-f1 is of labels that mark spans, as B-NP and I-NP; hint: accuracy is "
                      "of any");
  }
}

std::vector<size_t> TagValidator::columns_of(std::string_view metric) const {
  std::vector<size_t> out;
  for (size_t c = 0; c < fields_.columns(); ++c) {
    const bool is_of_text = c >= fields_.word_labels.size();
    const bool is_measured = metric == "text-accuracy" ? is_of_text
                             : metric == "span-f1"     ? !is_of_text && marks_spans_[c]
                                                       : !is_of_text;
    if (is_measured) out.push_back(c);
  }
  return out;
}

std::vector<train::Metric> TagValidator::measure(const model_file::TaggerSession& session,
                                                 const data::LabelledCorpus& corpus) const {
  predict::TagEvaluation evaluation(session.labels(), session.assets.word_columns);
  double nll = 0;
  int64_t words = 0;
  const data::BatchPlan plan = data::evaluation_plan(corpus, kTaggedLimits);
  for (int64_t i = 0; i < plan.size(); ++i) {
    const data::Batch batch = corpus.batch(plan[i]);
    nn::Context context;
    const models::TagScores scores = session.model(batch, context);
    const ops::Loss loss = session.model.loss(scores, batch, {.weights = weights_}, nullptr);
    nll += loss.nll;
    words += scores.words->count() - loss.left_out;
    if (!std::isfinite(nll)) fail<NumericError>("--valid-sets", "the loss is not a finite number");
    add_batch(session, batch, scores, evaluation);
  }
  std::vector<train::Metric> out;
  const auto add = [&](std::string name, double value) {
    out.push_back({.name = std::move(name), .value = value});
  };
  for (const std::string& metric : metrics_) {
    if (metric == "cross-entropy") {
      out.push_back({metric, nll / static_cast<double>(std::max<int64_t>(1, words)), true});
    } else if (metric == "exact-match") {
      add(metric, evaluation.exact_match());
    } else {
      const std::vector<size_t> columns = columns_of(metric);
      for (const size_t c : columns) {
        const predict::ColumnEvaluation& column = evaluation.columns()[c];
        add(columns.size() == 1 ? metric : fmt::format("{} of {}", metric, fields_.field_of(c)),
            metric == "span-f1" ? column.span_f1() : column.accuracy());
      }
    }
  }
  return out;
}

}  // namespace weft::tasks
