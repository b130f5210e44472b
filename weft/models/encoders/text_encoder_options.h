// The options of an encoder of text without a decoder.
#ifndef WEFT_MODELS_ENCODERS_TEXT_ENCODER_OPTIONS_H_
#define WEFT_MODELS_ENCODERS_TEXT_ENCODER_OPTIONS_H_

#include "weft/models/encoders/encoder.h"

namespace weft::models {

template <class V>
void word_dropout_field(V& v, double& word_dropout) {
  v("word-dropout", word_dropout,
    {.help = "probability, in training, that a token is replaced by the unknown symbol, whose "
             "embedding is thus learned where the vocabulary has all of the training text (Iyyer "
             "et al. 2015)",
     .min = 0,
     .max = 0.99});
}

struct TextEncoderOptions : EncoderOptions {
  double word_dropout = 0;

  template <class V>
  void fields(V& v) {
    EncoderOptions::fields(v);
    word_dropout_field(v, word_dropout);
  }

  // Throws OptionError for options that contradict each other, with the reason.
  void check() const;
};

// What the vocabulary fixes of an encoder.
struct TextEncoderDims {
  int64_t vocab = 0;
  int64_t unknown_id = 0, begin_id = 0, end_id = 0;

  template <class V>
  void fields(V& v) {
    v("vocab-size", vocab, {.help = "vocabulary", .min = 0});
    v("unknown-id", unknown_id, {.help = "of the unknown symbol", .min = 0});
    v("begin-id", begin_id, {.help = "of the begin symbol", .min = 0});
    v("end-id", end_id, {.help = "of the end symbol", .min = 0});
  }
  // Throws OptionError for an id that is not in the vocabulary.
  void check() const;
};

}  // namespace weft::models

#endif  // WEFT_MODELS_ENCODERS_TEXT_ENCODER_OPTIONS_H_
