#include "weft/predict/classification/evaluation.h"

#include <fmt/core.h>

#include <algorithm>

#include "weft/core/error.h"
#include "weft/data/batcher.h"
#include "weft/metrics/calibration.h"
#include "weft/metrics/decisions.h"
#include "weft/metrics/multi_label.h"
#include "weft/metrics/threshold.h"
#include "weft/model_file/classifier.h"

namespace weft::predict {
namespace {

void take_decisions(const metrics::Decisions& decisions, LabelEvaluation& out) {
  out.cross_entropy = decisions.cross_entropy();
  out.calibration_error = decisions.calibration_error();
}

void evaluate_one(const LabelScores& probabilities, const ExpectedLabels& expected,
                  const model_file::ClassifierSession& session, LabelEvaluation& out) {
  out.confusion.emplace(session.labels().size());
  for (int64_t text = 0; text < probabilities.texts(); ++text) {
    out.confusion->add(expected[static_cast<size_t>(text)].front(),
                       choose_labels(probabilities[text], session.model.options, 0).front());
  }
  out.accuracy = out.confusion->accuracy();
  take_decisions(metrics::label_decisions({probabilities.values, probabilities.labels, expected}),
                 out);
  out.report = out.confusion->report(session.labels().names());
}

void evaluate_several(const LabelScores& probabilities, const ExpectedLabels& expected,
                      const model_file::ClassifierSession& session, LabelEvaluation& out) {
  const models::ClassifierOptions& options = session.model.options;
  metrics::MultiLabelF1 scores(session.labels().size());
  for (int64_t text = 0; text < probabilities.texts(); ++text) {
    scores.add(expected[static_cast<size_t>(text)],
               choose_labels(probabilities[text], options, session.params.threshold));
  }
  out.accuracy = scores.subset_accuracy();
  out.report = scores.report(session.labels().names());
  if (options.is_sequence()) return;
  take_decisions(
      metrics::multi_label_decisions({probabilities.values, probabilities.labels, expected}), out);
}

std::vector<int32_t> first_of_each(const ExpectedLabels& expected) {
  std::vector<int32_t> out;
  for (const std::vector<int32_t>& labels : expected) out.push_back(labels.front());
  return out;
}

}  // namespace

ExpectedLabels expected_labels(const data::LabelledDataset& examples) {
  ExpectedLabels out;
  for (int64_t example = 0; example < examples.size(); ++example) {
    const std::span<const int32_t> labels = examples.labels(example, 0);
    out.emplace_back(labels.begin(), labels.end());
  }
  return out;
}

double LabelEvaluation::value(std::string_view metric) const {
  if (metric == "cross-entropy") return cross_entropy.value();
  if (metric == "accuracy") return accuracy;
  if (metric == "micro-f1") return report.micro.f1;
  if (metric == "macro-f1") return report.macro.f1;
  fail<OptionError>("metric", "expected cross-entropy, accuracy, micro-f1 or macro-f1, got {}",
                    quote(metric));
}

std::string LabelEvaluation::summary() const {
  std::string out = fmt::format(
      "accuracy {:.4f} ({:.4f} to {:.4f} with 95 % confidence), micro F1 {:.4f}, macro F1 {:.4f}",
      accuracy, interval.low, interval.high, report.micro.f1, report.macro.f1);
  if (cross_entropy) out += fmt::format(", cross-entropy {:.4f}", *cross_entropy);
  if (calibration_error) out += fmt::format(", calibration error {:.4f}", *calibration_error);
  return out;
}

LabelEvaluation evaluate_labels(const LabelScores& probabilities, const ExpectedLabels& expected,
                                const model_file::ClassifierSession& session) {
  LabelEvaluation out;
  if (session.model.options.has_one_label()) {
    evaluate_one(probabilities, expected, session, out);
  } else {
    evaluate_several(probabilities, expected, session, out);
  }
  const auto texts = static_cast<double>(probabilities.texts());
  out.interval = metrics::accuracy_interval(out.accuracy * texts, texts);
  return out;
}

double sequence_cross_entropy(const models::Classifier& model,
                              const data::LabelledDataset& corpus) {
  const data::BatchPlan plan = data::evaluation_plan(corpus, {.rows = 4096, .examples = 256});
  double sum = 0;
  for (int64_t i = 0; i < plan.size(); ++i) {
    nn::Context context;
    sum += model.loss(corpus.batch(plan[i]), {}, context).nll;
  }
  return sum / static_cast<double>(corpus.size());
}

model_file::LabelParams fit_params(const LabelScores& logits, const ExpectedLabels& expected,
                                   const models::ClassifierOptions& options, bool calibrates) {
  model_file::LabelParams out;
  if (options.is_sequence()) return out;
  const bool is_one = options.has_one_label();
  const metrics::LogitRows rows{logits.values, logits.labels};
  if (calibrates) {
    out.temperature = is_one ? metrics::fit_temperature(rows, first_of_each(expected)).value
                             : metrics::fit_temperature(rows, expected).value;
  }
  if (is_one) return out;
  const LabelScores probabilities = probabilities_of(logits, options, out.temperature);
  const bool at_least_one = options.labels.get<models::SeveralLabels>().at_least_one;
  out.threshold = std::clamp(
      metrics::tune_threshold({probabilities.values, logits.labels, expected}, at_least_one).value,
      0.0, 1.0);
  return out;
}

}  // namespace weft::predict
