// An encoder of text with a vector for each text: sentence embeddings (Reimers and Gurevych 2019,
// arXiv 1908.10084).
#ifndef WEFT_MODELS_EMBEDDER_H_
#define WEFT_MODELS_EMBEDDER_H_

#include <vector>

#include "weft/models/embedder_options.h"
#include "weft/models/encoders/text_encoder.h"

namespace weft::models {

struct Embedder {
  EmbedderOptions options;
  TextEncoderDims dims;
  TextEncoder encoder;
  nn::Pooling pooling;
  std::vector<nn::Linear> dense;

  Embedder() = default;
  // Shapes only; nn::bind() gives them memory. Throws OptionError where options contradict each
  // other.
  Embedder(const EmbedderOptions& options, const TextEncoderDims& dims);

  int64_t width() const;  // E, numbers of a vector

  // Vectors [B, E] of texts with their special symbols.
  Tensor operator()(const data::Tokens& texts, const nn::Context& context) const;
  // The same from the encoder's states.
  Tensor vectors(const nn::Memory& states, const nn::Context& context) const;

  template <class V>
  void fields(V& v) {
    encoder.fields(v);
    v("pooling", pooling);
    v("dense", dense);
  }
};

}  // namespace weft::models

#endif  // WEFT_MODELS_EMBEDDER_H_
