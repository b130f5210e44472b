// An encoder of text without a decoder: what taggers and classifiers stand on.
#ifndef WEFT_MODELS_ENCODERS_TEXT_ENCODER_H_
#define WEFT_MODELS_ENCODERS_TEXT_ENCODER_H_

#include "weft/data/batch.h"
#include "weft/models/encoders/text_encoder_options.h"
#include "weft/models/token_embedding.h"
#include "weft/nn/encoder.h"

namespace weft::models {

// What of a batch's tokens an encoder reads: in training some of them, drawn by the context's key,
// are the unknown symbol instead (--word-dropout). `rows` are those of the tokens.
std::vector<int32_t> drop_words(const data::Tokens& tokens, const ops::LayoutPtr& rows,
                                const TextEncoderDims& dims, double probability,
                                const nn::Context& context);

struct TextEncoder {
  TextEncoderOptions options;
  TextEncoderDims dims;
  TokenEmbedding embedding;
  nn::Encoder encoder;

  TextEncoder() = default;
  // Shapes only; nn::bind() gives them memory. `dropouts` numbers the dropouts of the model that it
  // is part of. Throws OptionError where options contradict each other.
  TextEncoder(const TextEncoderOptions& options, const TextEncoderDims& dims,
              nn::RngStreams& dropouts, const EncoderUse& use = {});

  int64_t width() const;  // C, of the states: D, or 2 D of a bidirectional layer

  // The types of tokens, [N], as far as it has vectors for them; null: all are 0.
  ops::Ids types_of(const data::Tokens& tokens) const;

  // States [N, C] of embeddings [N, D].
  nn::Memory encode(Tensor x, const ops::LayoutPtr& rows, const nn::Context& context) const;
  // All of it: states [N, C] of a batch's tokens.
  nn::Memory operator()(const data::Tokens& tokens, const nn::Context& context) const;

  // Parameters named as those of a translator's encoder.
  template <class V>
  void fields(V& v) {
    v("model.encoder", embedding);
    v("model.encoder", encoder);
  }
};

}  // namespace weft::models

#endif  // WEFT_MODELS_ENCODERS_TEXT_ENCODER_H_
