#include "weft/models/language_model.h"

namespace weft::models {

LanguageModel::LanguageModel(const LanguageModelOptions& o, const LanguageModelDims& d)
    : options(o), dims(d) {
  o.check();
  d.check();
  nn::RngStreams dropouts;
  TokenEmbedding embedding({.vocab = d.vocab,
                            .features = o.layers.dim_emb,
                            .scale = o.embedding_scale,
                            .position = make_position(o.layers, true),
                            .dropout = o.layers.transformer.dropout},
                           dropouts);
  nn::Stack stack = decoder_stack(o.layers, {.depth = o.decoder.dec_depth}, dropouts);
  decoder = TokenDecoder(std::move(embedding), {std::move(stack)}, o.decoder);
}

Tensor LanguageModel::states(const data::Tokens& texts, const nn::Context& context) const {
  return decoder.forward({ops::make_ids(texts.ids), ops::make_layout(texts.segments)}, {}, context);
}

}  // namespace weft::models
