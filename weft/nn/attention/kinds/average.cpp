#include "weft/nn/attention/kinds/average.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/nn/attention/config.h"
#include "weft/nn/attention/linear_steps.h"
#include "weft/nn/attention/observed.h"
#include "weft/ops/activation.h"
#include "weft/ops/add.h"
#include "weft/ops/fused/linear_attention.h"
#include "weft/ops/scale.h"
#include "weft/ops/slice.h"

namespace weft::nn {
namespace {

// Attention weights [queries, keys]. With a causal mask the last query sees all keys, and each
// query before it one key less.
Tensor equal_weights(int64_t queries, int64_t keys, bool causal, DType type) {
  Tensor out = Tensor::zeros({queries, keys}, type);
  for (int64_t i = 0; i < queries; ++i) {
    const int64_t seen = causal ? keys - queries + i + 1 : keys;
    const Tensor row = out.row_range(i, i + 1).col_range(0, seen);
    backend_of(row)(kernels::Fill{.y = row, .value = 1 / static_cast<double>(seen)});
  }
  return out;
}

// Queries and keys of linear attention that is a mean: one head of all values, of weight 1 each.
LinearSteps mean_of_values(const SelfInput& in) {
  const Tensor ones = Tensor::full({in.v.rows(), 1}, 1, in.v.dtype());
  return {.q = ones, .k = ones, .v = in.v};
}

// The heads' outputs, from the mean.
Tensor activated(const Tensor& mean, autograd::Tape* tape) {
  return ops::activate(ops::Activation::kRelu, mean, tape);
}

// Shows each row of a pass with a cache as an example with one query.
void observe_rows(const SelfInput& in, const Context& context) {
  const AttentionKey key = key_of(context, AttentionRole::kSelf);
  if (!is_observed(context, key)) return;
  const auto weights = [&](const ops::SequenceHead& which) {
    return equal_weights(1, in.self.rows->position[which.sequence] + 1, true,
                         sum_type(in.v.dtype()));
  };
  context.observer->see(key, ObservedFunction(in.v.rows(), in.config.heads, weights), nullptr);
}

void observe_sequences(const SelfInput& in, const Context& context) {
  const AttentionKey key = key_of(context, AttentionRole::kSelf);
  if (!is_observed(context, key)) return;
  const ops::Layout& rows = *in.self.rows;
  const auto weights = [&](const ops::SequenceHead& which) {
    const int64_t keys = rows.segments.length(static_cast<int64_t>(which.sequence));
    return equal_weights(keys, keys, in.self.causal, sum_type(in.v.dtype()));
  };
  context.observer->see(key, ObservedFunction(rows.sequences(), in.config.heads, weights),
                        context.tape);
}

}  // namespace

AverageAttention::AverageAttention(const AttentionDims& dims)
    : gate(2 * dims.features, 2 * dims.features, dims.has_bias) {}

Tensor AverageAttention::forward(const SelfInput& in, const Context& context) const {
  observe_sequences(in, context);
  const LinearSteps mean = mean_of_values(in);
  const ops::LinearAttentionParams params{
      .queries = in.self.rows, .keys = in.self.rows, .causal = in.self.causal};
  return activated(ops::linear_attention(mean.q, mean.k, in.v, params, context.tape), context.tape);
}

Tensor AverageAttention::prefill(const SelfInput& in, KvCache& cache,
                                 const Context& context) const {
  observe_rows(in, context);
  return activated(mean_of_values(in).prefill(cache, context), nullptr);
}

Tensor AverageAttention::step(const SelfInput& in, KvCache& cache, const Context& context) const {
  observe_rows(in, context);
  return activated(mean_of_values(in).step(cache, context), nullptr);
}

Tensor AverageAttention::output(const Tensor& x, const Tensor& g, const Context& context) const {
  autograd::Tape* const tape = context.tape;
  const Tensor gates =
      gate(ops::concat_cols(x, g, tape), tape, ops::Activation::kSigmoid);  // [N, 2D]
  const auto parts = autograd::split(tape, gates, {x.cols(), x.cols()});
  return ops::add(ops::multiply(parts[0], x, tape), ops::multiply(parts[1], g, tape), tape);
}

}  // namespace weft::nn
