// The encoder-decoder Transformer of "Attention Is All You Need" (Vaswani et al. 2017, arXiv
// 1706.03762) and its common variations, and what came before it: recurrent encoder-decoders
// without and with attention, and a convolutional encoder. One definition trains, scores, decodes
// and exports. The source is text, or, where its vocabulary has no tokens, vectors. A model without
// decoder layers is an encoder alone.
#ifndef WEFT_MODELS_SEQ2SEQ_SEQ2SEQ_H_
#define WEFT_MODELS_SEQ2SEQ_SEQ2SEQ_H_

#include "weft/data/batch.h"
#include "weft/models/seq2seq/decoder_input.h"
#include "weft/models/seq2seq/seq2seq_options.h"
#include "weft/nn/decoder.h"
#include "weft/nn/encoder.h"
#include "weft/ops/losses/cross_entropy.h"

namespace weft::models {

struct Seq2Seq {
  Seq2SeqOptions options;
  Seq2SeqSizes sizes;
  nn::Parameter shared;        // [V, D] when all embeddings are tied
  nn::Parameter source_table;  // [V_src, D]
  nn::Parameter target_table;  // [V_trg, D]
  nn::Position encoder_position, decoder_position;
  nn::Dropout source_dropout, target_dropout;  // of embeddings
  nn::Encoder encoder;
  nn::Decoder decoder;
  nn::Parameter output_weight;   // [V_trg, D] unless tied
  nn::Parameter output_bias;     // [1, V_trg]
  nn::Parameter mask_embedding;  // [1, D], of mask-predict
  nn::Linear length_head;        // [2C + 1, D], where lengths are predicted

  Seq2Seq() = default;
  // Shapes only; bind() gives them memory. Throws OptionError where options contradict each other.
  Seq2Seq(const Seq2SeqOptions& options, const Seq2SeqSizes& sizes);

  // Encoder states of packed source sentences, each with its end symbol.
  nn::Memory encode(const ops::Ids& source, const ops::RowsPtr& rows,
                    const nn::Context& context) const;
  nn::Memory encode(const data::Tokens& source, const nn::Context& context) const;
  // The same of vectors x [N, D], to which positions are added.
  nn::Memory encode(const Tensor& x, const ops::RowsPtr& rows, const nn::Context& context) const;
  // Decoder states [N, D] of packed target inputs (shifted right).
  Tensor decode(const ops::Ids& inputs, const ops::RowsPtr& rows, const nn::Memory& memory,
                const nn::Context& context) const;
  // The same for all positions at once, of a model that is not left-to-right, also with
  // cross-attention to the memory in a cache.
  Tensor decode(const DecoderInput& input, const nn::Memory& memory,
                const nn::Context& context) const;
  Tensor decode(const DecoderInput& input, const nn::KvCache& memory,
                const nn::Context& context) const;
  // Decoder states of the inputs of prompts, or of a step, in the cache's present pass.
  Tensor prefill(const ops::Ids& inputs, nn::KvCache& cache, const nn::Context& context) const;
  Tensor step(const ops::Ids& inputs, nn::KvCache& cache, const nn::Context& context) const;
  // Scores of each length of a sentence's target less that of its source, -C to C: [B, 2C + 1].
  Tensor length_logits(const nn::Memory& memory, const nn::Context& context) const;
  // Scores of the next token, [N, V].
  Tensor logits(const Tensor& states, const nn::Context& context) const;
  // The output layer for `tokens` alone: its scores are [N, tokens.size()], in this order.
  nn::Linear projection_to(std::span<const int32_t> tokens) const;
  // Whether the decoder attends to the source.
  bool has_attention() const { return !options.type.is<RnnType>(); }
  // In BF16 where weights are packed below F32.
  nn::KvCache make_cache() const;
  // The decoder's states [N, D] at every target position of a batch of pairs, with the targets
  // before each as its inputs. Throws OptionError where the model does not go from left to right.
  Tensor states(const data::Batch& batch, const nn::Context& context) const;
  // The same of targets whose sources are encoded.
  Tensor states(const nn::Memory& memory, const data::Tokens& target,
                const nn::Context& context) const;
  // The output layer's weights: logits = states W^T + b.
  ops::LinearWeights projection() const { return {output_matrix(), output_bias}; }
  // The training loss of a batch of pairs, [1, 1]; see non_autoregressive.h where the model does
  // not go from left to right.
  ops::Loss loss(const data::Batch& batch, const ops::CrossEntropy& rule,
                 const nn::Context& context) const;
  // log p of every target token given the source, sentence after sentence.
  std::vector<double> token_log_probabilities(const data::Batch& batch) const;

  // Parameters in the spelling of Transformers' Marian model.
  template <class V>
  void fields(V& v) {
    v("model.shared.weight", shared);
    v("model.encoder.embed_tokens.weight", source_table);
    v("model.decoder.embed_tokens.weight", target_table);
    v("model.encoder.embed_positions", encoder_position);
    v("model.decoder.embed_positions", decoder_position);
    v("model.encoder", encoder);
    v("model.decoder", decoder);
    v("lm_head.weight", output_weight);
    v("final_logits_bias", output_bias);
    v("model.decoder.mask_embedding", mask_embedding);
    v("length_head", length_head);
  }

 private:
  double embedding_scale() const;  // sqrt(D)
  // Embeddings of one side, with positions and dropout, [N, D].
  struct InputSide {
    const nn::Position& position;
    const nn::Parameter& table;
    const nn::Dropout& dropout;
  };
  InputSide source_side() const { return {encoder_position, source_embedding(), source_dropout}; }
  InputSide target_side() const { return {decoder_position, target_embedding(), target_dropout}; }
  Tensor embed(const InputSide& side, const ops::Ids& ids, const ops::RowsPtr& rows,
               const nn::Context& context) const;
  Tensor embed(const DecoderInput& input, const nn::Context& context) const;
  const nn::Parameter& source_embedding() const;
  const nn::Parameter& target_embedding() const;
  const nn::Parameter& output_matrix() const;
};

// Targets shifted right: each sentence begins with `begin_id` and loses its last token.
std::vector<int32_t> shift_right(const data::Tokens& target, int32_t begin_id);

}  // namespace weft::models

#endif  // WEFT_MODELS_SEQ2SEQ_SEQ2SEQ_H_
