#include "weft/models/seq2seq/seq2seq.h"

#include <cmath>

#include "weft/models/seq2seq/non_autoregressive.h"
#include "weft/nn/table.h"
#include "weft/ops/add.h"
#include "weft/ops/fused/projection_loss.h"
#include "weft/ops/rows/mean_rows.h"
#include "weft/ops/rows/select_rows.h"

namespace weft::models {
namespace {

nn::Stack encoder_stack(const Seq2SeqOptions& o, nn::DropoutSites& dropouts) {
  return {stack_options(o.transformer, o.enc_depth),
          block_options(o.layers(), {.self = self_attention_of(o, Side::kEncoder)},
                        encoder_deepnorm(o.enc_depth, o.has_decoder() ? o.dec_depth : 0)),
          dropouts};
}

nn::Stack decoder_stack(const Seq2SeqOptions& o, nn::DropoutSites& dropouts) {
  nn::StackOptions stack = stack_options(o.transformer, o.dec_depth);
  stack.name = "decoder";
  stack.causal = o.is_left_to_right();
  return {stack,
          block_options(
              o.layers(),
              {.self = self_attention_of(o, Side::kDecoder), .prior = &o.encoder_decoder.prior},
              decoder_deepnorm(o.dec_depth)),
          dropouts};
}

nn::Encoder make_encoder(const Seq2SeqOptions& o, nn::DropoutSites& dropouts) {
  if (o.is_transformer()) return {encoder_stack(o, dropouts)};
  const EncoderSizes sizes{.features = o.dim_emb, .depth = o.enc_depth};
  if (o.type.is<CnnType>()) {
    return {convolutional_encoder(sizes, o.cnn_width, o.recurrent.dropout, dropouts)};
  }
  const auto& direction = o.recurrent.direction;
  const bool is_bidirectional = direction.is<nn::AutomaticDirection>()
                                    ? o.type.is<RnnAttentionType>()
                                    : direction.is<nn::Bidirectional>();
  return {recurrent_encoder(sizes, o.recurrent, is_bidirectional, dropouts)};
}

nn::Decoder make_decoder(const Seq2SeqOptions& o, const nn::Encoder& encoder,
                         nn::DropoutSites& dropouts) {
  if (o.is_transformer()) return {decoder_stack(o, dropouts)};
  nn::RecurrentDecoderOptions decoder{.cell = o.recurrent.cell_kind(),
                                      .features = o.dim_emb,
                                      .depth = o.dec_depth,
                                      .memory_width = o.dim_emb,
                                      .last_size = o.dim_emb,
                                      .dropout = o.recurrent.dropout};
  if (const auto* recurrent = std::get_if<nn::RecurrentEncoder>(&encoder.kind)) {
    decoder.memory_width = recurrent->width();
    decoder.last_size = recurrent->last_size();
    decoder.copies_start = o.type.is<RnnType>() && !recurrent->layers.front().reads_both_ways();
  }
  if (!o.type.is<RnnType>()) decoder.attention = o.recurrent_attention.source_attention();
  decoder.feeds_input = o.recurrent_attention.feeds_input();
  return {nn::RecurrentDecoder(decoder, dropouts)};
}

}  // namespace

Seq2Seq::Seq2Seq(const Seq2SeqOptions& o, const Seq2SeqSizes& s) : options(o), sizes(s) {
  check(o, s);
  const auto table = [&](int64_t rows) { return nn::embedding_table(rows, o.dim_emb); };
  if (o.tied_embeddings_all) {
    shared = table(s.source_vocab);
  } else {
    if (s.source_vocab > 0) source_table = table(s.source_vocab);
    if (o.has_decoder()) target_table = table(s.target_vocab);
    if (o.has_decoder() && !o.tied_embeddings) {
      output_weight = nn::Parameter({s.target_vocab, o.dim_emb}, nn::Init::kGlorot);
    }
  }
  if (o.has_decoder() && o.output_bias) {
    output_bias = nn::Parameter({1, s.target_vocab}, nn::Init::kZeros);
  }
  const auto position = [&](Side side, bool causal) {
    if (!o.has_positions(side)) return nn::Position{nn::NoPosition{}};
    return make_position(o.layers(), causal);
  };
  encoder_position = position(Side::kEncoder, false);
  nn::DropoutSites dropouts;
  source_dropout = {o.input_dropout(), dropouts.take()};
  encoder = make_encoder(o, dropouts);
  if (!o.has_decoder()) return;
  decoder_position = position(Side::kDecoder, o.is_left_to_right());
  target_dropout = {o.input_dropout(), dropouts.take()};
  decoder = make_decoder(o, encoder, dropouts);
  if (o.is_mask_predict()) mask_embedding = table(1);
  if (const auto* classifier = o.length_classifier()) {
    length_head = nn::Linear(o.dim_emb, 2 * classifier->difference + 1, true);
  }
}

const nn::Parameter& Seq2Seq::source_embedding() const {
  return shared.is_present() ? shared : source_table;
}

const nn::Parameter& Seq2Seq::target_embedding() const {
  return shared.is_present() ? shared : target_table;
}

const nn::Parameter& Seq2Seq::output_matrix() const {
  return output_weight.is_present() ? output_weight : target_embedding();
}

double Seq2Seq::embedding_scale() const { return std::sqrt(static_cast<double>(options.dim_emb)); }

Tensor Seq2Seq::embed(const InputSide& side, const ops::Ids& ids, const ops::RowsPtr& rows,
                      const nn::Context& context) const {
  return side.position.embed({.table = side.table,
                              .scale = embedding_scale(),
                              .ids = ids,
                              .rows = rows,
                              .dropout = side.dropout},
                             context);
}

nn::Memory Seq2Seq::encode(const ops::Ids& source, const ops::RowsPtr& rows,
                           const nn::Context& context) const {
  const Tensor x = embed(source_side(), source, rows, context);
  return encoder(x, rows, encoder_position.in_attention(rows, context), context);
}

nn::Memory Seq2Seq::encode(const data::Tokens& source, const nn::Context& context) const {
  return encode(ops::make_ids(source.ids), ops::make_rows(source.segments), context);
}

nn::Memory Seq2Seq::encode(const Tensor& x, const ops::RowsPtr& rows,
                           const nn::Context& context) const {
  const Tensor input = encoder_position.add_to(x, rows, source_dropout, context);
  return encoder(input, rows, encoder_position.in_attention(rows, context), context);
}

Tensor Seq2Seq::decode(const ops::Ids& inputs, const ops::RowsPtr& rows, const nn::Memory& memory,
                       const nn::Context& context) const {
  const Tensor x = embed(target_side(), inputs, rows, context);
  return decoder.forward(x, {rows, decoder_position.in_attention(rows, context)}, memory, context);
}

Tensor Seq2Seq::prefill(const ops::Ids& inputs, nn::KvCache& cache,
                        const nn::Context& context) const {
  const ops::RowsPtr& rows = cache.rows();
  const Tensor x = embed(target_side(), inputs, rows, context);
  return decoder.prefill(x, {rows, decoder_position.in_attention(rows, context)}, cache, context);
}

Tensor Seq2Seq::step(const ops::Ids& inputs, nn::KvCache& cache, const nn::Context& context) const {
  const ops::RowsPtr& rows = cache.rows();
  const Tensor x = embed(target_side(), inputs, rows, context);
  return decoder.step(x, {rows, decoder_position.in_attention(rows, context)}, cache, context);
}

Tensor Seq2Seq::embed(const DecoderInput& input, const nn::Context& context) const {
  const nn::Parameter& table = input.is_copied ? source_embedding() : target_embedding();
  Tensor x = embed({decoder_position, table, target_dropout}, ops::make_ids(input.ids), input.rows,
                   context);
  if (!input.masked.empty()) {
    const ops::Ids all = ops::make_ids(std::vector<int32_t>(input.masked.size(), 0));
    std::vector<int32_t> at(input.ids.size(), -1);
    for (size_t i = 0; i < input.masked.size(); ++i) at[input.masked[i]] = static_cast<int>(i);
    const Tensor masks =
        ops::embedding(mask_embedding, all, embedding_scale(), context.tape);  // [n, D]
    const auto places = ops::make_selection(std::move(at), masks.rows());
    x = ops::add(x, ops::select_rows(masks, places, context.tape), context.tape);  // [N, D]
  }
  return x;
}

Tensor Seq2Seq::decode(const DecoderInput& input, const nn::Memory& memory,
                       const nn::Context& context) const {
  const auto position = decoder_position.in_attention(input.rows, context);
  return decoder.forward(embed(input, context), {input.rows, position}, memory, context);
}

Tensor Seq2Seq::decode(const DecoderInput& input, const nn::KvCache& memory,
                       const nn::Context& context) const {
  const auto position = decoder_position.in_attention(input.rows, context);
  return decoder.forward(embed(input, context), {input.rows, position}, memory, context);
}

Tensor Seq2Seq::length_logits(const nn::Memory& memory, const nn::Context& context) const {
  return length_head(ops::mean_rows(memory.states, memory.rows, context.tape), context.tape);
}

Tensor Seq2Seq::logits(const Tensor& states, const nn::Context& context) const {
  return nn::linear(states, {&output_matrix()}, {&output_bias}, ops::Activation::kNone,
                    context.tape);
}

nn::Linear Seq2Seq::projection_to(std::span<const int32_t> tokens) const {
  nn::Linear out;
  out.weight = nn::rows_of(output_matrix(), tokens);
  if (!output_bias.is_present()) return out;
  nn::Parameter column({output_bias.shape.cols(), 1}, nn::Init::kZeros);
  column.value = output_bias.value.reshape(column.shape);
  out.bias = nn::rows_of(column, tokens);
  out.bias.shape = {1, out.bias.shape.rows()};
  out.bias.value = out.bias.value.reshape(out.bias.shape);
  return out;
}

nn::KvCache Seq2Seq::make_cache() const {
  const nn::Parameter& table = target_embedding();
  const bool is_rounded = table.packed && table.packed.dtype() != DType::kF32;
  const DType plain = table.packed ? DType::kF32 : table.value.dtype();
  return {decoder.cache_layers(), is_rounded ? DType::kBF16 : plain};
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
  const auto begin = static_cast<int32_t>(sizes.begin_id);
  return decode(ops::make_ids(shift_right(target, begin)), ops::make_rows(target.segments), memory,
                context);
}

ops::Loss Seq2Seq::loss(const data::Batch& batch, const ops::CrossEntropy& rule,
                        const nn::Context& context) const {
  if (!options.is_left_to_right()) {
    return non_autoregressive_loss(*this, batch, {.token = rule}, context);
  }
  return ops::projection_loss(states(batch, context), projection(),
                              ops::make_ids(batch.target().ids), rule, context.tape);
}

std::vector<double> Seq2Seq::token_log_probabilities(const data::Batch& batch) const {
  nn::Context context;
  const ops::TokenLosses losses = ops::projection_losses(states(batch, context), projection(),
                                                         ops::make_ids(batch.target().ids));
  std::vector<double> out = losses.nll;
  for (double& x : out) x = -x;
  return out;
}

std::vector<int32_t> shift_right(const data::Tokens& target, int32_t begin_id) {
  std::vector<int32_t> out(target.ids.size());
  for (int64_t b = 0; b < target.examples(); ++b) {
    const int32_t begin = target.segments.begin(b);
    for (int32_t i = begin; i < target.segments.end(b); ++i) {
      const auto k = static_cast<size_t>(i);
      out[k] = i == begin ? begin_id : target.ids[k - 1];
    }
  }
  return out;
}

}  // namespace weft::models
