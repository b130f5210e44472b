#include "weft/nn/attention/kinds/synthesizer.h"

#include "weft/nn/attention/config.h"
#include "weft/nn/attention/dot_product.h"
#include "weft/nn/table.h"
#include "weft/ops/activation.h"

namespace weft::nn {
namespace {

// The table's row for each row's position.
Tensor at_positions(const Parameter& table, const SelfInput& in, autograd::Tape* tape) {
  check_positions("synthesizer", *in.self.rows, table.shape.rows());
  return look_up(table, ops::make_ids(in.self.rows->position), 1, tape);
}

}  // namespace

DenseSynthesizer::DenseSynthesizer(const AttentionDims& dims)
    : second(dims.query_width(), dims.query_width(), dims.has_bias),
      position_keys(embedding_table(dims.max_positions, dims.key_width())) {}

SelfInput DenseSynthesizer::with_scores(const SelfInput& in, autograd::Tape* tape) const {
  const Tensor hidden = ops::activate(ops::Activation::kRelu, in.q, tape);  // [N, H*K]
  const Tensor q = second(hidden, tape);
  return {in.x, q, at_positions(position_keys, in, tape), in.v, in.self, in.config};
}

Tensor DenseSynthesizer::forward(const SelfInput& in, const Context& context) const {
  return DotProductAttention().forward(with_scores(in, context.tape), context);
}

Tensor DenseSynthesizer::prefill(const SelfInput& in, KvCache& cache,
                                 const Context& context) const {
  return DotProductAttention().prefill(with_scores(in, nullptr), cache, context);
}

Tensor DenseSynthesizer::step(const SelfInput& in, KvCache& cache, const Context& context) const {
  return DotProductAttention().step(with_scores(in, nullptr), cache, context);
}

RandomSynthesizer::RandomSynthesizer(const AttentionDims& dims)
    : position_queries(embedding_table(dims.max_positions, dims.query_width())),
      position_keys(embedding_table(dims.max_positions, dims.key_width())) {}

SelfInput RandomSynthesizer::with_scores(const SelfInput& in, autograd::Tape* tape) const {
  const Tensor q = at_positions(position_queries, in, tape);
  return {in.x, q, at_positions(position_keys, in, tape), in.v, in.self, in.config};
}

Tensor RandomSynthesizer::forward(const SelfInput& in, const Context& context) const {
  return DotProductAttention().forward(with_scores(in, context.tape), context);
}

Tensor RandomSynthesizer::prefill(const SelfInput& in, KvCache& cache,
                                  const Context& context) const {
  return DotProductAttention().prefill(with_scores(in, nullptr), cache, context);
}

Tensor RandomSynthesizer::step(const SelfInput& in, KvCache& cache, const Context& context) const {
  return DotProductAttention().step(with_scores(in, nullptr), cache, context);
}

}  // namespace weft::nn
