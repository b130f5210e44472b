// The options of text classifiers, and what of them contradicts what.
#ifndef WEFT_MODELS_CLASSIFIER_OPTIONS_H_
#define WEFT_MODELS_CLASSIFIER_OPTIONS_H_

#include "weft/models/text_encoder_options.h"
#include "weft/nn/pooling.h"

namespace weft::models {

// How many labels a text has.
struct OneLabel {
  static constexpr std::string_view kName = "one";
  static constexpr std::string_view kHelp = "probabilities by softmax";
};
struct SeveralLabels {
  static constexpr std::string_view kName = "several";
  static constexpr std::string_view kHelp =
      "any number, a decision for each: probabilities by sigmoid, and a threshold";
  bool at_least_one = false;

  template <class V>
  void fields(V& v) {
    v("at-least-one", at_least_one,
      {.help = "with --labels several, the label of the highest probability is given even where "
               "none reaches the threshold"});
  }
};
using LabelKinds = OneOf<OneLabel, SeveralLabels>;

struct ClassifierOptions {
  LabelKinds labels = {};
  TextEncoderOptions encoder = {};
  nn::PoolingKinds pooling = {};
  double classifier_dropout = 0.1;

  bool has_one_label() const { return labels.is<OneLabel>(); }
  // The begin symbol stands before the text.
  bool with_begin() const { return pooling.is<nn::FirstRowPoolingOptions>(); }

  template <class V>
  void fields(V& v) {
    group(v, "Classifier");
    choice(v, "labels", labels, {.help = "how many labels a text has"});
    choice(v, "pooling", pooling, {.help = "from the encoder's states to one vector of a text"});
    v("classifier-dropout", classifier_dropout,
      {.help = "dropout of that vector", .min = 0, .max = 0.99});
    encoder.fields(v);
  }

  // Throws OptionError for options that contradict each other, with the reason.
  void check() const;
};

// What the vocabulary and the labels fix of a model.
struct ClassifierSizes {
  TextEncoderSizes text;
  int64_t labels = 0;

  template <class V>
  void fields(V& v) {
    text.fields(v);
    v("label-count", labels, {.help = "labels", .min = 1});
  }
};

}  // namespace weft::models

#endif  // WEFT_MODELS_CLASSIFIER_OPTIONS_H_
