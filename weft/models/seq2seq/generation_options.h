// How a decoder produces a sequence.
#ifndef WEFT_MODELS_SEQ2SEQ_GENERATION_OPTIONS_H_
#define WEFT_MODELS_SEQ2SEQ_GENERATION_OPTIONS_H_

#include "weft/options/fields.h"

namespace weft::models {

// A classifier on the encoder's states predicts the length of a target.
struct LengthClassifier {
  static constexpr std::string_view kName = "classifier";
  static constexpr std::string_view kHelp = "what a classifier on the encoder's states predicts";
  int64_t difference = 32;  // C

  template <class V>
  void fields(V& v) {
    v("length-difference", difference,
      {.help = "largest difference in tokens between source and target that the classifier of "
               "lengths knows",
       .min = 1,
       .max = 10000});
  }
};

// A sequence ends at the first end symbol among the decoder's positions.
struct LengthFromEnd {
  static constexpr std::string_view kName = "end";
  static constexpr std::string_view kHelp = "up to the first end symbol of many positions";
  double ratio = 1.5;
  int64_t offset = 5;

  template <class V>
  void fields(V& v) {
    v("length-ratio", ratio,
      {.help = "positions of --length-from end for each source token, end symbol included",
       .min = 0.1,
       .max = 100});
    v("length-offset", offset,
      {.help = "further positions of --length-from end", .min = 0, .max = 10000});
  }
};

struct LeftToRight {
  static constexpr std::string_view kName = "left-to-right";
  static constexpr std::string_view kHelp = "token by token";
};

struct Parallel {
  static constexpr std::string_view kName = "parallel";
  static constexpr std::string_view kHelp =
      "non-autoregressively, all positions at once (Gu et al. 2018, arXiv 1711.02281)";
  options::OneOf<LengthClassifier, LengthFromEnd> length_from = {};

  template <class V>
  void fields(V& v) {
    options::choice(v, "length-from", length_from,
                    {.help = "length of a translation of --generation parallel"});
  }
};

struct Ctc {
  static constexpr std::string_view kName = "ctc";
  static constexpr std::string_view kHelp =
      "at once, without repeats and blanks (Libovický and Helcl 2018, arXiv 1811.04719)";
  int64_t upsampling = 2;

  template <class V>
  void fields(V& v) {
    v("ctc-upsampling", upsampling,
      {.help = "positions of --generation ctc for each source token, end symbol included",
       .min = 1,
       .max = 100});
  }
};

struct MaskPredict {
  static constexpr std::string_view kName = "mask-predict";
  static constexpr std::string_view kHelp =
      "at once and then in iterations that predict the least certain tokens again (Ghazvininejad "
      "et al. 2019, arXiv 1904.09324)";
  LengthClassifier length = {};

  template <class V>
  void fields(V& v) {
    length.fields(v);
  }
};

using GenerationKinds = options::OneOf<LeftToRight, Parallel, Ctc, MaskPredict>;

// Null where no classifier on the encoder's states predicts the length of a target.
const LengthClassifier* length_classifier(const GenerationKinds& generation);

// How many positions a decoder that copies its source has for S source tokens, end symbol included:
// of --generation ctc, or of parallel with --length-from end.
int64_t positions_for(const GenerationKinds& generation, int64_t source_tokens);

// Rows of the decoder in training for a source and a target of these numbers of tokens, end symbols
// included.
int64_t decoder_rows(const GenerationKinds& generation, int64_t source_tokens,
                     int64_t target_tokens);

}  // namespace weft::models

#endif  // WEFT_MODELS_SEQ2SEQ_GENERATION_OPTIONS_H_
