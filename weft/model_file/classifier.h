// Text classifiers as files, with their tokeniser and labels and how these are chosen.
#ifndef WEFT_MODEL_FILE_CLASSIFIER_H_
#define WEFT_MODEL_FILE_CLASSIFIER_H_

#include <string>
#include <string_view>

#include "weft/model_file/text_assets.h"
#include "weft/models/classifier.h"

namespace weft::model_file {

inline constexpr std::string_view kClassifier = "classifier";  // the kind of these files

// How a classifier's logits become labels.
struct LabelRule {
  double threshold = 0.5;  // of the probabilities of several labels
  double temperature = 1;  // that logits are divided by
};

// A model ready to run. Copies share weights, vocabulary and labels.
struct ClassifierSession {
  models::Classifier model;
  Tensor parameters;  // [P], flat, in visiting order; empty where packed
  TextAssets text;
  LabelRule rule = {};
  int64_t max_length = 0;  // tokens of a text that it was trained on, at most; 0: any

  const data::LabelSet& labels() const { return text.labels.front(); }
};

// Each throws what its like of model_file/seq2seq.h throws.
ClassifierSession load_classifier(const std::string& path);
ClassifierSession load_packed_classifier(const std::string& path, Precision precision);
void save_model(const std::string& path, const ClassifierSession& session, const Tensor& weights);
void save_rounded(const std::string& path, const ClassifierSession& session, Precision precision);
ClassifierSession new_classifier(const models::ClassifierOptions& options, TextAssets text,
                                 uint64_t seed);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_CLASSIFIER_H_
