// Numbers that a classifier of --labels numbers predicts, and how good they are.
#ifndef WEFT_PREDICT_CLASSIFICATION_NUMBERS_H_
#define WEFT_PREDICT_CLASSIFICATION_NUMBERS_H_

#include <memory>
#include <string>
#include <vector>

#include "weft/data/labels/labelled_fields.h"
#include "weft/data/labels/numbers.h"
#include "weft/metrics/regression.h"
#include "weft/model_file/classifier.h"
#include "weft/predict/classification/label_probabilities.h"

namespace weft::predict {

// How the examples of some files are read, of any kind of input. Numbers are one label.
data::LabelledTextOptions reading_of(const data::LabelledFields& fields,
                                     const models::LabelKinds& labels);

// The numbers in the files, `width` for each example, 0: as many as the first one has. Throws
// FormatError, naming file and line, as NumberReader does.
data::NumberTable read_numbers(const std::vector<std::string>& files,
                               const data::LabelledFields& fields, const models::InputKinds& input,
                               int64_t width);

// The names of the labels of such a model: "1", "2", ...
data::LabelSet number_names(int64_t width);

// By the statistics that the model keeps: to zero mean and unit deviation, and back.
data::Labels standardised(data::Labels numbers, const data::ChannelStatistics& statistics);
LabelScores in_units(LabelScores scores, const data::ChannelStatistics& statistics);

// What a model gives for these scores: probabilities, or numbers in their units.
LabelScores results_of(const model_file::ClassifierSession& session, LabelScores scores);
// Adds the share of one of `models`, whose results are averaged.
void add_share(std::span<const float> results, size_t models, std::span<float> sum);

// Of the numbers [n, W] of examples, those of each column.
struct NumberEvaluation {
  std::vector<metrics::RegressionScores> columns;  // [W]

  metrics::RegressionScores mean() const { return metrics::mean_of(columns); }
  // A line for each of several columns, and one for their mean.
  std::string text() const;
};
NumberEvaluation evaluate_numbers(const LabelScores& predicted, std::span<const float> expected);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_CLASSIFICATION_NUMBERS_H_
