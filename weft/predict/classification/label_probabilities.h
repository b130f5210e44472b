// The probabilities that a classifier gives labels, and the labels chosen by them.
#ifndef WEFT_PREDICT_CLASSIFICATION_LABEL_PROBABILITIES_H_
#define WEFT_PREDICT_CLASSIFICATION_LABEL_PROBABILITIES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "weft/data/features/labelled_features.h"
#include "weft/data/labels/labelled_corpus.h"
#include "weft/predict/classification/label_scores.h"

namespace weft::model_file {
struct ClassifierSession;
}
namespace weft::models {
struct Classifier;
struct ClassifierOptions;
}  // namespace weft::models

namespace weft::predict {

// How the texts of a model become tokens.
data::TokenOptions token_params(const models::ClassifierOptions& options, int64_t max_length);

// How sequences are read whose vectors have `channels` numbers; 0: as many as the first vector.
data::FeatureColumns feature_params(const models::ClassifierOptions& options, int64_t channels);

// What a classifier reads of the first field of a batch: text as it is, the patches of pictures,
// normalised vectors.
data::Field model_input(const model_file::ClassifierSession& session, const data::Field& field);

// Of what the model reads of a batch: logits, or of a sequence of labels what probabilities_of()
// leaves as it is. A sequence whose search found no number is NaN.
LabelScores scores_of(const models::Classifier& model, const data::Field& input);
// The same of all examples, in their order.
LabelScores scores_of(const model_file::ClassifierSession& session,
                      const data::LabelledDataset& examples);

// From what scores_of() gives: softmax(logits / temperature) of one label, the sigmoid of several;
// of a sequence the probability of each label that was found after those before it, and 0 for the
// others. Not of numbers. All of a text are NaN where one of its scores is not finite.
LabelScores probabilities_of(LabelScores scores, const models::ClassifierOptions& options,
                             double temperature);

// The labels of a text with these probabilities, in ascending order: of one the most probable, the
// first of equals; of several those that reach the threshold; of a sequence those found.
std::vector<int32_t> choose_labels(std::span<const float> probabilities,
                                   const models::ClassifierOptions& options, double threshold);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_CLASSIFICATION_LABEL_PROBABILITIES_H_
