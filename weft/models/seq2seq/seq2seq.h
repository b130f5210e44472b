// The encoder-decoder Transformer of "Attention Is All You Need" (Vaswani et al. 2017, arXiv
// 1706.03762) and its common variations, and what came before it: recurrent encoder-decoders
// without and with attention, and a convolutional encoder. One definition trains, scores, decodes
// and exports.
#ifndef WEFT_MODELS_SEQ2SEQ_SEQ2SEQ_H_
#define WEFT_MODELS_SEQ2SEQ_SEQ2SEQ_H_

#include "weft/data/batch.h"
#include "weft/models/seq2seq/decoder_input.h"
#include "weft/models/seq2seq/seq2seq_options.h"
#include "weft/models/token_decoder.h"
#include "weft/nn/linear.h"
#include "weft/ops/losses/cross_entropy.h"

namespace weft::models {

struct Seq2Seq {
  Seq2SeqOptions options;
  Seq2SeqDims dims;
  TokenEmbedding source;  // has the decoder's table where they share it
  nn::Encoder encoder;
  TokenDecoder decoder;
  nn::Linear length_head;  // [2C + 1, D], where lengths are predicted

  Seq2Seq() = default;
  // Shapes only; bind() gives them memory. Throws OptionError where options contradict each other.
  Seq2Seq(const Seq2SeqOptions& options, const Seq2SeqDims& dims);

  // Encoder states of source texts, each with its end symbol.
  nn::Memory encode(const data::Tokens& source, const nn::Context& context) const;
  // Decoder states [N, D] of all positions at once, of a model that is not left-to-right, with
  // cross-attention to encoder states or to the memory in a cache.
  Tensor decode(const DecoderInput& input, const nn::Memory& memory,
                const nn::Context& context) const;
  Tensor decode(const DecoderInput& input, const nn::KvCache& memory,
                const nn::Context& context) const;
  // Scores of each length of a target less that of its source, -C to C: [B, 2C + 1].
  Tensor length_logits(const nn::Memory& memory, const nn::Context& context) const;
  // Whether the decoder attends to the source.
  bool has_attention() const { return !options.type.is<RnnType>(); }
  // The decoder's states [N, D] at every target position of a batch of pairs, with the targets
  // before each as its inputs. Throws OptionError where the model does not go from left to right.
  Tensor states(const data::Batch& batch, const nn::Context& context) const;
  // The same of targets whose sources are encoded.
  Tensor states(const nn::Memory& memory, const data::Tokens& target,
                const nn::Context& context) const;
  // The training loss of a batch of pairs, [1, 1]; see non_autoregressive.h where the model does
  // not go from left to right.
  ops::Loss loss(const data::Batch& batch, const ops::CrossEntropy& params,
                 const nn::Context& context) const;
  // log p of every target token given the source, sequence after sequence.
  std::vector<double> token_log_probabilities(const data::Batch& batch) const;

  // Parameters in the spelling of Transformers' Marian model.
  template <class V>
  void fields(V& v) {
    v("model.encoder.embed_tokens.weight", source.table);
    v(options.shares_table() ? "model.shared.weight" : "model.decoder.embed_tokens.weight",
      decoder.embedding.table);
    v("model.encoder.embed_positions", source.position);
    v("model.decoder.embed_positions", decoder.embedding.position);
    v("model.encoder", encoder);
    v("model.decoder", decoder.layers);
    v("lm_head.weight", decoder.output_weight);
    v("final_logits_bias", decoder.output_bias);
    v("model.decoder.mask_embedding", decoder.embedding.mask);
    v("length_head", length_head);
  }

 private:
  Tensor embed(const DecoderInput& input, const nn::Context& context) const;
  const nn::Parameter& source_table() const {
    return options.shares_table() ? decoder.embedding.table : source.table;
  }
};

}  // namespace weft::models

#endif  // WEFT_MODELS_SEQ2SEQ_SEQ2SEQ_H_
