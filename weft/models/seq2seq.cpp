#include "weft/models/seq2seq.h"

#include <cmath>

#include "weft/models/non_autoregressive.h"
#include "weft/nn/table.h"
#include "weft/ops/add.h"
#include "weft/ops/fused/projection_loss.h"
#include "weft/ops/mean_rows.h"
#include "weft/ops/select_rows.h"

namespace weft::models {
namespace {

// What DeepNorm derives from the depths N and M of encoder and decoder (its table 1).
struct DeepNorm {
  double encoder_scale, encoder_gain, decoder_scale, decoder_gain;

  explicit DeepNorm(const Seq2SeqOptions& o) {
    const auto n = static_cast<double>(o.enc_depth), m = static_cast<double>(o.dec_depth);
    encoder_scale = 0.81 * std::pow(n * n * n * n * m, 1.0 / 16);
    encoder_gain = 0.87 * std::pow(n * n * n * n * m, -1.0 / 16);
    decoder_scale = std::pow(3 * m, 1.0 / 4);
    decoder_gain = std::pow(12 * m, -1.0 / 4);
  }
};

nn::AttentionConfig attention_config(const Seq2SeqOptions& o, Side side) {
  const nn::AttentionOptions& attention = o.transformer.attention;
  const nn::AttentionSizes sizes{.heads = attention.heads,
                                 .key_heads = attention.groups(),
                                 .key_size = o.key_size(),
                                 .max_positions = o.position.max_positions,
                                 .has_bias = attention.bias};
  return {.features = o.dim_emb,
          .heads = attention.heads,
          .key_heads = attention.key_heads,
          .key_size = o.key_size(),
          .value_size = o.value_size(),
          .bias = attention.bias,
          .scale = attention.scale,
          .dropout = attention.dropout,
          .function = attention.activation.visit([](const auto& kind) { return kind.kFunction; }),
          .qk_norm = attention.qk_norm,
          .qk_norm_epsilon = o.transformer.norm.epsilon,
          .kind = self_attention_of(o, side).visit(
              [&](const auto& kind) -> nn::AttentionKind { return kind.make(sizes); }),
          .prior = nn::AttentionPrior(attention.prior, attention.heads)};
}

nn::LayerOptions layer_options(const Seq2SeqOptions& o, Side side) {
  nn::LayerOptions layer{.attention = attention_config(o, side),
                         .feed_forward = o.transformer.feed_forward,
                         .norm = o.transformer.norm,
                         .dropout = o.transformer.dropout};
  if (o.transformer.is_deepnorm()) {
    const DeepNorm deep(o);
    const bool is_encoder = side == Side::kEncoder;
    layer.residual_scale = is_encoder ? deep.encoder_scale : deep.decoder_scale;
    layer.init_gain = is_encoder ? deep.encoder_gain : deep.decoder_gain;
  } else {
    layer.residual_scale = o.transformer.residual_factor();
  }
  return layer;
}

nn::StackOptions stack_options(const Seq2SeqOptions& o, int64_t depth) {
  return {depth, o.transformer.tied_layers, o.transformer.drop_path};
}

nn::RecurrentEncoder recurrent_encoder(const Seq2SeqOptions& o) {
  const auto& direction = o.recurrent.direction;
  const bool is_bidirectional = direction.is<nn::AutomaticDirection>()
                                    ? o.type.is<RnnAttentionType>()
                                    : direction.is<nn::Bidirectional>();
  return nn::RecurrentEncoder({.cell = o.recurrent.cell_kind(),
                               .features = o.dim_emb,
                               .depth = o.enc_depth,
                               .bidirectional = is_bidirectional,
                               .dropout = o.recurrent.dropout});
}

nn::SourceStack make_encoder(const Seq2SeqOptions& o) {
  if (o.is_transformer()) {
    return {nn::Encoder(stack_options(o, o.enc_depth), layer_options(o, Side::kEncoder))};
  }
  if (o.type.is<CnnType>()) {
    return {nn::ConvolutionalEncoder({.features = o.dim_emb,
                                      .depth = o.enc_depth,
                                      .width = o.cnn_width,
                                      .dropout = o.recurrent.dropout})};
  }
  return {recurrent_encoder(o)};
}

nn::TargetStack make_decoder(const Seq2SeqOptions& o, const nn::SourceStack& encoder) {
  if (o.is_transformer()) {
    nn::Decoder decoder(stack_options(o, o.dec_depth), layer_options(o, Side::kDecoder));
    decoder.causal = o.is_left_to_right();
    return {std::move(decoder)};
  }
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
  if (!o.type.is<RnnType>()) decoder.attention = o.recurrent.source_attention();
  decoder.feeds_input = o.recurrent.feeds_input();
  return {nn::RecurrentDecoder(decoder)};
}

}  // namespace

Seq2Seq::Seq2Seq(const Seq2SeqOptions& o, const Seq2SeqSizes& s) : options(o), sizes(s) {
  check(o, s);
  const auto table = [&](int64_t rows) {
    return nn::Parameter({rows, o.dim_emb}, nn::Init::kNormal);
  };
  if (o.tied_embeddings_all) {
    shared = table(s.source_vocab);
  } else {
    source_table = table(s.source_vocab);
    target_table = table(s.target_vocab);
    if (!o.tied_embeddings) {
      output_weight = nn::Parameter({s.target_vocab, o.dim_emb}, nn::Init::kGlorot);
    }
  }
  if (o.output_bias) output_bias = nn::Parameter({1, s.target_vocab}, nn::Init::kZeros);
  const auto position = [&](Side side, bool causal) {
    if (!o.has_positions(side)) return nn::Position{nn::NoPosition{}};
    return nn::make_position(o.position.kind, {.features = o.dim_emb,
                                               .heads = o.transformer.attention.heads,
                                               .max_positions = o.position.max_positions,
                                               .causal = causal});
  };
  encoder_position = position(Side::kEncoder, false);
  decoder_position = position(Side::kDecoder, o.is_left_to_right());
  encoder = make_encoder(o);
  decoder = make_decoder(o, encoder);
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

Tensor Seq2Seq::embed(const nn::Position& position, const nn::Parameter& table, const ops::Ids& ids,
                      const ops::RowsPtr& rows, nn::Context& context) const {
  return position.embed({.table = table,
                         .scale = embedding_scale(),
                         .ids = ids,
                         .rows = rows,
                         .dropout = options.input_dropout()},
                        context);
}

nn::Memory Seq2Seq::encode(const ops::Ids& source, const ops::RowsPtr& rows,
                           nn::Context& context) const {
  const Tensor x = embed(encoder_position, source_embedding(), source, rows, context);
  return encoder(x, rows, encoder_position.in_attention(rows, context), context);
}

nn::Memory Seq2Seq::encode(const data::Tokens& source, int32_t first_sentence,
                           nn::Context& context) const {
  return encode(ops::make_ids(source.ids), ops::make_rows(source.offsets, first_sentence), context);
}

Tensor Seq2Seq::decode(const ops::Ids& inputs, const ops::RowsPtr& rows, const nn::Memory& memory,
                       nn::Context& context) const {
  const Tensor x = embed(decoder_position, target_embedding(), inputs, rows, context);
  return decoder(x, rows, decoder_position.in_attention(rows, context), memory, context);
}

Tensor Seq2Seq::decode(const DecoderInput& input, const nn::Memory& memory,
                       nn::Context& context) const {
  const nn::Parameter& table = input.is_copied ? source_embedding() : target_embedding();
  Tensor x = embed(decoder_position, table, ops::make_ids(input.ids), input.rows, context);
  if (!input.masked.empty()) {
    const ops::Ids all = ops::make_ids(std::vector<int32_t>(input.masked.size(), 0));
    std::vector<int32_t> at(input.ids.size(), -1);
    for (size_t i = 0; i < input.masked.size(); ++i) at[input.masked[i]] = static_cast<int>(i);
    const Tensor masks =
        ops::embedding(mask_embedding, all, embedding_scale(), context.tape);  // [n, D]
    const auto places = ops::make_selection(std::move(at), masks.rows());
    x = ops::add(x, ops::select_rows(masks, places, context.tape), context.tape);  // [N, D]
  }
  const auto position = decoder_position.in_attention(input.rows, context);
  return decoder(x, input.rows, position, memory, context);
}

Tensor Seq2Seq::length_logits(const nn::Memory& memory, nn::Context& context) const {
  return length_head(ops::mean_rows(memory.states, memory.rows, context.tape), context.tape);
}

Tensor Seq2Seq::logits(const Tensor& states, nn::Context& context) const {
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

nn::KvCache Seq2Seq::make_cache(int64_t places) const {
  const nn::Parameter& table = target_embedding();
  const bool is_rounded = table.packed && table.packed.dtype() != DType::kF32;
  const DType plain = table.packed ? DType::kF32 : table.value.dtype();
  return {decoder.cache_layers(), places, is_rounded ? DType::kBF16 : plain};
}

Tensor Seq2Seq::states(const data::Batch& batch, int32_t first_sentence,
                       nn::Context& context) const {
  if (!options.is_left_to_right()) {
    fail<OptionError>("model",
                      "is of --generation {}, which does not predict a token from those before it; "
                      "expected one of --generation left-to-right",
                      options.generation.name());
  }
  const data::Tokens& target = batch.target();
  const nn::Memory memory = encode(batch.source(), first_sentence, context);
  const auto begin = static_cast<int32_t>(sizes.begin_id);
  return decode(ops::make_ids(shift_right(target, begin)),
                ops::make_rows(target.offsets, first_sentence), memory, context);
}

ops::Loss Seq2Seq::loss(const data::Batch& batch, int32_t first_sentence,
                        const ops::CrossEntropy& how, nn::Context& context) const {
  if (!options.is_left_to_right()) {
    return non_autoregressive_loss(*this, batch, first_sentence, {.token = how}, context);
  }
  return ops::projection_loss(states(batch, first_sentence, context), projection(),
                              ops::make_ids(batch.target().ids), how, context.tape);
}

std::vector<double> Seq2Seq::token_log_probabilities(const data::Batch& batch) const {
  nn::Context context;
  const ops::TokenLosses losses = ops::projection_losses(states(batch, 0, context), projection(),
                                                         ops::make_ids(batch.target().ids));
  std::vector<double> out = losses.nll;
  for (double& x : out) x = -x;
  return out;
}

std::vector<int32_t> shift_right(const data::Tokens& target, int32_t begin_id) {
  std::vector<int32_t> out(target.ids.size());
  for (size_t b = 0; b + 1 < target.offsets.size(); ++b) {
    for (int32_t i = target.offsets[b]; i < target.offsets[b + 1]; ++i) {
      const auto k = static_cast<size_t>(i);
      out[k] = i == target.offsets[b] ? begin_id : target.ids[k - 1];
    }
  }
  return out;
}

}  // namespace weft::models
