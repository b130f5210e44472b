// The options of an encoder of text without a decoder.
#ifndef WEFT_MODELS_ENCODERS_TEXT_ENCODER_OPTIONS_H_
#define WEFT_MODELS_ENCODERS_TEXT_ENCODER_OPTIONS_H_

#include <optional>

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

// What encoders that were pretrained do to embeddings before the first layer.
struct TextEmbeddingOptions {
  std::optional<double> scale = {};  // none: sqrt(D)
  bool norm = false;
  int64_t token_types = 0;
  int64_t position_offset = 0;
  bool begin_symbol = false;

  // Throws OptionError where they contradict the options of the layers.
  void check(const EncoderOptions& encoder) const;

  template <class V>
  void fields(V& v) {
    v("embedding-scale", scale,
      {.help = "factor on embeddings; auto: sqrt(dim-emb)",
       .min = 1e-6,
       .max = 1e6,
       .omitted_if = "auto"});
    v("embedding-norm", norm,
      {.help = "a norm of embeddings with their positions, of --norm-kind, as BERT has it",
       .omitted_if = "false"});
    v("token-types", token_types,
      {.help = "learned vectors of which one, that of a token's text, is added to its embedding, "
               "as BERT has them for pairs of texts; 0: none",
       .min = 0,
       .max = 1024,
       .omitted_if = "0"});
    v("position-offset", position_offset,
      {.help = "rows of the table of --position learned before that of the first token, as RoBERTa "
               "has them",
       .min = 0,
       .max = 1024,
       .omitted_if = "0"});
    v("begin-symbol", begin_symbol,
      {.help = "the begin symbol stands before every text, with any --pooling",
       .omitted_if = "false"});
  }
};

struct TextEncoderOptions : EncoderOptions {
  double word_dropout = 0;
  TextEmbeddingOptions embedding = {};

  template <class V>
  void fields(V& v) {
    EncoderOptions::fields(v);
    word_dropout_field(v, word_dropout);
    embedding.fields(v);
  }

  // Throws OptionError for options that contradict each other, with the reason.
  void check() const;
  // As that of EncoderOptions, without the rows of --position-offset.
  int64_t table_capacity() const {
    return EncoderOptions::table_capacity() - embedding.position_offset;
  }
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
