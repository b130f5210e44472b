#include "weft/models/seq2seq/seq2seq.h"

#include "weft/models/seq2seq/non_autoregressive.h"
#include "weft/ops/fused/projection_loss.h"
#include "weft/ops/rows/mean_rows.h"

namespace weft::models {
namespace {

nn::Decoder make_decoder(const Seq2SeqOptions& o, const nn::Encoder& encoder,
                         nn::RngStreams& dropouts) {
  if (o.is_transformer()) {
    return {decoder_stack(o.decoder_layers(),
                          {.depth = o.decoder.dec_depth,
                           .cross_attention = o.encoder_decoder.prior,
                           .is_causal = o.is_left_to_right()},
                          dropouts)};
  }
  nn::RecurrentDecoderOptions decoder =
      recurrent_decoder(o.encoder_options(), encoder, o.decoder.dec_depth);
  if (const auto* recurrent = std::get_if<nn::RecurrentEncoder>(&encoder.kind)) {
    decoder.copies_start = o.type.is<RnnType>() && !recurrent->layers.front().reads_both_ways();
  }
  if (!o.type.is<RnnType>()) decoder.attention = o.recurrent_attention.source_attention();
  decoder.feeds_input = o.recurrent_attention.feeds_input();
  return {nn::RecurrentDecoder(decoder, dropouts)};
}

// The embeddings of targets; recurrent cells read tokens in their order.
TokenEmbeddingOptions target_embedding(const Seq2SeqOptions& o, int64_t vocab) {
  TokenEmbeddingOptions out{
      .vocab = vocab,
      .vocabulary = o.shares_table() ? nn::Vocabulary::kShared : nn::Vocabulary::kTarget,
      .features = o.encoder.dim_emb,
      .scale = o.embedding_scale,
      .has_mask = o.is_mask_predict(),
      .dropout = o.encoder_options().input_dropout()};
  if (o.is_transformer()) out.position = make_position(o.encoder, o.is_left_to_right());
  return out;
}

}  // namespace

Seq2Seq::Seq2Seq(const Seq2SeqOptions& o, const Seq2SeqDims& s) : options(o), dims(s) {
  check(o, s);
  nn::RngStreams dropouts;
  const EncoderOptions from = o.encoder_options();
  source = TokenEmbedding({.vocab = o.shares_table() ? 0 : s.source_vocab,
                           .features = from.dim_emb,
                           .scale = o.embedding_scale,
                           .position = make_position(from),
                           .dropout = from.input_dropout()},
                          dropouts);
  encoder = make_encoder(from, dropouts, {.decoder_depth = o.decoder.dec_depth});
  TokenEmbedding target(target_embedding(o, s.target_vocab), dropouts);
  DecoderOptions output = o.decoder;
  output.tied_embeddings = o.decoder.tied_embeddings || o.tied_embeddings_all;
  decoder = TokenDecoder(std::move(target), make_decoder(o, encoder, dropouts), output);
  if (const auto* classifier = length_classifier(o.generation)) {
    length_head = nn::Linear(from.dim_emb, 2 * classifier->difference + 1, true);
  }
}

nn::Memory Seq2Seq::encode(const data::Tokens& tokens, const nn::Context& context) const {
  const ops::LayoutPtr rows = ops::make_layout(tokens.segments);
  const Tensor x = source.embed(source_table(), {ops::make_ids(tokens.ids), rows}, context);
  return encoder(x, rows, source.position.in_attention(rows, context), context);
}

Tensor Seq2Seq::embed(const DecoderInput& input, const nn::Context& context) const {
  const nn::Parameter& table = input.is_copied ? source_table() : decoder.embedding.table;
  return decoder.embedding.embed(table, {ops::make_ids(input.ids), input.rows, input.masked},
                                 context);
}

Tensor Seq2Seq::decode(const DecoderInput& input, const nn::Memory& memory,
                       const nn::Context& context) const {
  const Tensor x = embed(input, context);
  const auto position = decoder.embedding.position.in_attention(input.rows, context);
  return decoder.scaled(decoder.layers.forward(x, {input.rows, position}, memory, context),
                        context);
}

Tensor Seq2Seq::decode(const DecoderInput& input, const nn::KvCache& memory,
                       const nn::Context& context) const {
  const Tensor x = embed(input, context);
  const auto position = decoder.embedding.position.in_attention(input.rows, context);
  return decoder.scaled(decoder.layers.forward(x, {input.rows, position}, memory, context),
                        context);
}

Tensor Seq2Seq::length_logits(const nn::Memory& memory, const nn::Context& context) const {
  return length_head(ops::mean_rows(memory.states, memory.rows, context.tape), context.tape);
}

Tensor Seq2Seq::states(const data::Batch& batch, const nn::Context& context) const {
  if (!options.is_left_to_right()) {
    fail<OptionError>("model",
                      "is of --generation {}, which does not predict a token from those before it; "
                      "expected one of --generation left-to-right",
                      options.generation.name());
  }
  return states(encode(batch.source(), context), batch.target(), context);
}

Tensor Seq2Seq::states(const nn::Memory& memory, const data::Tokens& target,
                       const nn::Context& context) const {
  return decoder.states(target, static_cast<int32_t>(dims.begin_id), memory, context);
}

ops::Loss Seq2Seq::loss(const data::Batch& batch, const ops::CrossEntropy& params,
                        const nn::Context& context) const {
  if (!options.is_left_to_right()) {
    return non_autoregressive_loss(*this, batch, {.token = params}, context);
  }
  return ops::projection_loss(states(batch, context), decoder.projection(),
                              ops::make_ids(batch.target().ids), params, context.tape);
}

std::vector<double> Seq2Seq::token_log_probabilities(const data::Batch& batch) const {
  nn::Context context;
  const ops::TokenLosses losses = ops::projection_losses(
      states(batch, context), decoder.projection(), ops::make_ids(batch.target().ids));
  std::vector<double> out = losses.nll;
  for (double& x : out) x = -x;
  return out;
}

}  // namespace weft::models
