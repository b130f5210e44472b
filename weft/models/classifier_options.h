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
struct AnyNumberOfLabels {
  bool at_least_one = false;

  template <class V>
  void fields(V& v) {
    v("at-least-one", at_least_one,
      {.help = "a text gets one label at least: the most probable one where none reaches the "
               "threshold"});
  }
};
struct SeveralLabels : AnyNumberOfLabels {
  static constexpr std::string_view kName = "several";
  static constexpr std::string_view kHelp =
      "any number, a decision for each: probabilities by sigmoid, and a threshold";
};
struct LabelSequence : AnyNumberOfLabels {
  static constexpr std::string_view kName = "sequence";
  static constexpr std::string_view kHelp =
      "any number, one after another, by a decoder that reads those before (Yang et al. 2018)";
  int64_t dec_depth = 1;

  template <class V>
  void fields(V& v) {
    AnyNumberOfLabels::fields(v);
    v("dec-depth", dec_depth, {.help = "decoder layers", .min = 1, .max = 1000});
  }
};
using LabelKinds = OneOf<OneLabel, SeveralLabels, LabelSequence>;

struct ClassifierOptions {
  LabelKinds labels = {};
  TextEncoderOptions encoder = {};
  nn::PoolingKinds pooling = {};
  double classifier_dropout = 0.1;

  bool has_one_label() const { return labels.is<OneLabel>(); }
  bool is_sequence() const { return labels.is<LabelSequence>(); }
  // The begin symbol stands before the text.
  bool with_begin() const { return !is_sequence() && pooling.is<nn::FirstRowPoolingOptions>(); }

  template <class V>
  void fields(V& v) {
    group(v, "Classifier");
    choice(v, "labels", labels, {.help = "how many labels a text has"});
    belongs_to<OneLabel, SeveralLabels>(v, "labels", &labels.selection(), [&] {
      choice(v, "pooling", pooling, {.help = "from the encoder's states to one vector of a text"});
      v("classifier-dropout", classifier_dropout,
        {.help = "dropout of that vector", .min = 0, .max = 0.99});
    });
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
