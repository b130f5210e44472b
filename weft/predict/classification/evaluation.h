// How good a classifier's labels are on text whose labels are known.
#ifndef WEFT_PREDICT_CLASSIFICATION_EVALUATION_H_
#define WEFT_PREDICT_CLASSIFICATION_EVALUATION_H_

#include <optional>
#include <string>
#include <string_view>

#include "weft/data/labels/labelled_corpus.h"
#include "weft/metrics/accuracy.h"
#include "weft/metrics/confusion.h"
#include "weft/metrics/label_report.h"
#include "weft/predict/classification/label_probabilities.h"

namespace weft::model_file {
struct LabelParams;
}

namespace weft::predict {

ExpectedLabels expected_labels(const data::LabelledDataset& examples);

struct LabelEvaluation {
  double accuracy = 0;              // of several labels: texts whose labels are all right
  metrics::Interval interval = {};  // where the accuracy on any number of such texts would lie
  // In nats per text, with --labels several the mean over labels. evaluate_labels() leaves it and
  // the calibration error empty for sequences of labels.
  std::optional<double> cross_entropy;
  std::optional<double> calibration_error;
  metrics::LabelReport report;
  std::optional<metrics::ConfusionMatrix> confusion;  // of one label

  // "cross-entropy", "accuracy", "micro-f1" or "macro-f1"
  double value(std::string_view metric) const;
  // "accuracy 0.884 (0.853 to 0.909 with 95 % confidence), micro F1 0.884, macro F1 0.853,
  // cross-entropy 0.412, calibration error 0.031"
  std::string summary() const;
};

LabelEvaluation evaluate_labels(const LabelScores& probabilities, const ExpectedLabels& expected,
                                const model_file::ClassifierSession& session);

// The mean over texts of -log p of their labels in a sequence.
double sequence_cross_entropy(const models::Classifier& model, const data::LabelledDataset& corpus);

// The rule that is best for these logits: with `calibrates` the temperature of the lowest loss, of
// several labels the threshold of the highest micro F1.
model_file::LabelParams fit_params(const LabelScores& logits, const ExpectedLabels& expected,
                                   const models::ClassifierOptions& options, bool calibrates);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_CLASSIFICATION_EVALUATION_H_
