#include "weft/nn/attention/kinds/average.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/kernels/linear_attention.h"
#include "weft/nn/attention/config.h"
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

// Linear attention in which all queries and keys are 1: one head of all values.
Tensor mean_of_step(const SelfInput& in, const Tensor& ones, KvCache& cache, size_t layer) {
  Tensor state = cache.continue_state(layer, in.v.cols() + 1, in.v.dtype());
  Tensor out = Tensor::empty(in.v.shape(), in.v.dtype());
  backend_of(in.v)(kernels::LinearAttentionStep{.q = ones,
                                                .k = ones,
                                                .v = in.v,
                                                .out = out,
                                                .state = state,
                                                .position = in.self.rows->position.data()});
  cache.keep_state(layer, std::move(state));
  return out;
}

void observe(const SelfInput& in, bool is_step, const Context& context) {
  const AttentionKey key = key_of(context, AttentionRole::kSelf);
  if (!is_observed(context, key)) return;
  const ops::Rows& rows = *in.self.rows;
  const auto weights = [&](const ops::SentenceHead& which) {
    const auto example = static_cast<int64_t>(which.sentence);
    const int64_t keys =
        is_step ? rows.position[which.sentence] + 1 : rows.segments.length(example);
    return equal_weights(is_step ? 1 : keys, keys, in.self.causal, sum_type(in.v.dtype()));
  };
  const int64_t examples = is_step ? in.v.rows() : rows.sentences();
  context.observer->see(key, ObservedFunction(examples, in.config.heads, weights), context.tape);
}

}  // namespace

AverageAttention::AverageAttention(const AttentionSizes& sizes)
    : gate(2 * sizes.features, 2 * sizes.features, sizes.has_bias) {}

Tensor AverageAttention::operator()(const SelfInput& in, const Context& context) const {
  const bool is_step = context.cache != nullptr && in.self.causal;
  observe(in, is_step, context);
  const Tensor ones = Tensor::full({in.v.rows(), 1}, 1, in.v.dtype());
  const ops::LinearAttentionRule rule{
      .queries = in.self.rows, .keys = in.self.rows, .causal = in.self.causal};
  const Tensor mean =
      is_step ? mean_of_step(in, ones, *context.cache, static_cast<size_t>(context.scope.layer))
              : ops::linear_attention(ones, ones, in.v, rule, context.tape);
  return ops::activate(ops::Activation::kRelu, mean, context.tape);
}

Tensor AverageAttention::output(const Tensor& x, const Tensor& g, const Context& context) const {
  autograd::Tape* const tape = context.tape;
  const Tensor gates =
      gate(ops::concat_cols(x, g, tape), tape, ops::Activation::kSigmoid);  // [N, 2D]
  const auto parts = autograd::split(tape, gates, {x.cols(), x.cols()});
  return ops::add(ops::multiply(parts[0], x, tape), ops::multiply(parts[1], g, tape), tape);
}

}  // namespace weft::nn
