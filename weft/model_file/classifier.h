// Classifiers as files, with their tokeniser or statistics, and their labels and how these are
// chosen.
#ifndef WEFT_MODEL_FILE_CLASSIFIER_H_
#define WEFT_MODEL_FILE_CLASSIFIER_H_

#include <string>
#include <string_view>

#include "weft/data/images/pixels.h"
#include "weft/data/labels/labelled_fields.h"
#include "weft/model_file/session.h"
#include "weft/model_file/text_assets.h"
#include "weft/models/classifier.h"

namespace weft::model_file {

// How a classifier's logits become labels.
struct LabelParams {
  double threshold = 0.5;  // of the probabilities of several labels
  double temperature = 1;  // that logits are divided by
};

struct ClassifierSession {
  static constexpr std::string_view kKind = "classifier";

  models::Classifier model;
  Tensor parameters;  // [P], flat, in visiting order; empty where packed
  TextAssets text;
  data::ChannelStatistics statistics = {};  // of pictures, as numbers from 0 to 1, or of vectors
  LabelParams params = {};
  data::ChannelStatistics numbers = {};  // of --labels numbers, in the training text
  int64_t max_length = 0;                // tokens of a text that it was trained on, at most; 0: any
  data::LabelledFields trained_on = {};  // not known of files of earlier versions

  static ClassifierSession open(ContentsReader& file);
  Contents contents() const;
  const data::LabelSet& labels() const { return text.labels.front(); }

  // The same classifier without what other formats lack. The output layer computes numbers itself:
  // its weights contain the mean and the deviation of --labels numbers. `max_length` is at most the
  // number of tokens that the table of positions has rows for.
  ClassifierSession exportable() const;
};

// What the training data fixes of a classifier: labels, and what is known of the input.
struct ClassifierAssets {
  TextAssets text;
  data::ImageShape image = {};
  int64_t channels = 0;
  data::ChannelStatistics statistics = {};
  data::ChannelStatistics numbers = {};
};
// Throws OptionError if the options contradict each other, or the size of pictures.
ClassifierSession new_classifier(const models::ClassifierOptions& options, ClassifierAssets assets,
                                 uint64_t seed);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_CLASSIFIER_H_
