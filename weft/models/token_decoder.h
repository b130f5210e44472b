// A decoder of tokens: embeddings, a stack of layers and an output projection. With attention to an
// encoder's states it is the decoder of an encoder-decoder, without it a language model.
#ifndef WEFT_MODELS_TOKEN_DECODER_H_
#define WEFT_MODELS_TOKEN_DECODER_H_

#include <optional>

#include "weft/data/batch.h"
#include "weft/models/decoder_options.h"
#include "weft/models/token_embedding.h"
#include "weft/nn/decoder.h"

namespace weft::models {

struct TokenDecoder {
  TokenEmbedding embedding;
  nn::Decoder layers;
  nn::Parameter output_weight;  // [V, D], unless tied to the embedding
  nn::Parameter output_bias;    // [1, V], where there is one
  double output_soft_cap = 0;   // of logits; 0: none
  double output_scale = 1;      // of the states that the output layer reads

  TokenDecoder() = default;
  // Shapes only. The depth of the options is that of `stack`.
  TokenDecoder(TokenEmbedding input, nn::Decoder stack, const DecoderOptions& options);

  bool is_present() const { return embedding.table.is_present(); }

  // States [N, D] of packed inputs, as the output layer reads them. Without attention to an
  // encoder's states `memory` is not read.
  Tensor forward(const TokenRows& inputs, const nn::Memory& memory,
                 const nn::Context& context) const;
  // The same of embeddings x [N, D], with positions where they are added.
  Tensor forward(Tensor x, const ops::LayoutPtr& rows, const nn::Memory& memory,
                 const nn::Context& context) const;
  // States of the inputs of prompts, or of one step; adds their keys and values to the cache.
  Tensor prefill(const ops::Ids& inputs, nn::KvCache& cache, const nn::Context& context) const;
  Tensor step(const ops::Ids& inputs, nn::KvCache& cache, const nn::Context& context) const;
  // States [N, D] at every token of whole texts, with the tokens before each as its inputs, of the
  // first `begin_id`.
  Tensor states(const data::Tokens& target, int32_t begin_id, const nn::Memory& memory,
                const nn::Context& context) const;
  // The states of the layers as the output layer reads them.
  Tensor scaled(const Tensor& states, const nn::Context& context) const;
  // Scores of the next token, [N, V].
  Tensor logits(const Tensor& states, const nn::Context& context) const;
  // The output layer: logits = soft_cap(states W^T + b).
  ops::OutputLayer projection() const {
    return {{projection_weight(), output_bias}, output_soft_cap};
  }
  // W and b for `tokens` alone, and the scores by them, [N, tokens.size()] in this order.
  nn::Linear projection_to(std::span<const int32_t> tokens) const;
  Tensor limited_logits(const Tensor& states, const nn::Linear& some_tokens,
                        const nn::Context& context) const;
  // An empty cache of this type, by default BF16 where weights are packed in a type below F32.
  nn::KvCache make_cache(std::optional<DType> type = {}) const;

  template <class V>
  void fields(V& v) {
    v("model.decoder", embedding);
    v("model.decoder", layers);
    v("lm_head.weight", output_weight);
    v("final_logits_bias", output_bias);
  }

 private:
  const nn::Parameter& projection_weight() const {
    return output_weight.is_present() ? output_weight : embedding.table;
  }
};

// Targets shifted right: each text begins with `begin_id` and loses its last token.
std::vector<int32_t> shift_right(const data::Tokens& target, int32_t begin_id);

}  // namespace weft::models

#endif  // WEFT_MODELS_TOKEN_DECODER_H_
