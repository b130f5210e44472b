#include "weft/models/embedder.h"

#include "weft/ops/rows/unit_rows.h"

namespace weft::models {

Embedder::Embedder(const EmbedderOptions& o, const TextEncoderDims& d) : options(o), dims(d) {
  o.check();
  nn::RngStreams dropouts;
  encoder = TextEncoder(o.encoder, d, dropouts);
  pooling = nn::make_pooling(o.pooling, encoder.width());
  int64_t features = encoder.width();
  for (const int64_t size : o.dense.sizes) {
    dense.emplace_back(features, size, o.dense.bias);
    features = size;
  }
}

int64_t Embedder::width() const {
  return dense.empty() ? encoder.width() : options.dense.sizes.back();
}

Tensor Embedder::operator()(const data::Tokens& texts, const nn::Context& context) const {
  return vectors(encoder(texts, context), context);
}

Tensor Embedder::vectors(const nn::Memory& states, const nn::Context& context) const {
  Tensor x = pooling(states.states, states.rows, context.tape);  // [B, C]
  for (const nn::Linear& layer : dense) {
    x = layer(x, context.tape, options.dense.function());  // [B, E]
  }
  return options.normalise ? ops::unit_rows(x, context.tape) : x;
}

}  // namespace weft::models
