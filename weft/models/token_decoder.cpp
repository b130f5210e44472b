#include "weft/models/token_decoder.h"

#include "weft/nn/table.h"
#include "weft/ops/scale.h"

namespace weft::models {

TokenDecoder::TokenDecoder(TokenEmbedding input, nn::Decoder stack, const DecoderOptions& o)
    : embedding(std::move(input)),
      layers(std::move(stack)),
      output_soft_cap(o.output_soft_cap),
      output_scale(o.output_scale) {
  const Shape table = embedding.table.shape;
  if (!o.tied_embeddings) output_weight = nn::Parameter(table, nn::Init::kGlorot);
  if (o.output_bias) output_bias = nn::Parameter({1, table.rows()}, nn::Init::kZeros);
  output_weight.vocabulary = output_bias.vocabulary = embedding.table.vocabulary;
}

Tensor TokenDecoder::forward(const TokenRows& inputs, const nn::Memory& memory,
                             const nn::Context& context) const {
  return forward(embedding(inputs, context), inputs.rows, memory, context);
}

Tensor TokenDecoder::forward(Tensor x, const ops::LayoutPtr& rows, const nn::Memory& memory,
                             const nn::Context& context) const {
  const auto position = embedding.position.in_attention(rows, context);
  return scaled(layers.forward(std::move(x), {rows, position}, memory, context), context);
}

Tensor TokenDecoder::prefill(const ops::Ids& inputs, nn::KvCache& cache,
                             const nn::Context& context) const {
  const ops::LayoutPtr& rows = cache.rows();
  Tensor x = embedding({inputs, rows}, context);
  return scaled(layers.prefill(std::move(x), {rows, embedding.position.in_attention(rows, context)},
                               cache, context),
                context);
}

Tensor TokenDecoder::step(const ops::Ids& inputs, nn::KvCache& cache,
                          const nn::Context& context) const {
  const ops::LayoutPtr& rows = cache.rows();
  Tensor x = embedding({inputs, rows}, context);
  return scaled(layers.step(std::move(x), {rows, embedding.position.in_attention(rows, context)},
                            cache, context),
                context);
}

Tensor TokenDecoder::states(const data::Tokens& target, int32_t begin_id, const nn::Memory& memory,
                            const nn::Context& context) const {
  return forward({ops::make_ids(shift_right(target, begin_id)), ops::make_layout(target.segments)},
                 memory, context);
}

Tensor TokenDecoder::scaled(const Tensor& states, const nn::Context& context) const {
  return output_scale == 1 ? states : ops::scale(states, output_scale, context.tape);
}

Tensor TokenDecoder::logits(const Tensor& states, const nn::Context& context) const {
  const Tensor y = nn::linear(states, {&projection_weight()}, {&output_bias},
                              ops::Activation::kNone, context.tape);
  return ops::soft_cap(y, output_soft_cap, context.tape);
}

Tensor TokenDecoder::limited_logits(const Tensor& states, const nn::Linear& some_tokens,
                                    const nn::Context& context) const {
  return ops::soft_cap(some_tokens(states, context.tape), output_soft_cap, context.tape);
}

nn::Linear TokenDecoder::projection_to(std::span<const int32_t> tokens) const {
  nn::Linear out;
  out.weight = nn::rows_of(projection_weight(), tokens);
  if (!output_bias.is_present()) return out;
  nn::Parameter column({output_bias.shape.cols(), 1}, nn::Init::kZeros);
  column.value = output_bias.value.reshape(column.shape);
  out.bias = nn::rows_of(column, tokens);
  out.bias.shape = {1, out.bias.shape.rows()};
  out.bias.value = out.bias.value.reshape(out.bias.shape);
  return out;
}

nn::KvCache TokenDecoder::make_cache(std::optional<DType> type) const {
  if (type) return {layers.cache_layers(), *type};
  const nn::Parameter& table = embedding.table;
  const bool is_rounded = table.packed && table.packed.type() != kernels::PackedType(DType::kF32);
  const DType plain = table.packed ? DType::kF32 : table.value.dtype();
  return {layers.cache_layers(), is_rounded ? DType::kBF16 : plain};
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
