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

Tensor attend(const SelfInput& in, Tensor q, Tensor k, const Context& context) {
  return DotProductAttention()({in.x, std::move(q), std::move(k), in.v, in.self, in.config},
                               context);
}

}  // namespace

DenseSynthesizer::DenseSynthesizer(const AttentionSizes& sizes)
    : second(sizes.query_width(), sizes.query_width(), sizes.has_bias),
      position_keys(embedding_table(sizes.max_positions, sizes.key_width())) {}

Tensor DenseSynthesizer::operator()(const SelfInput& in, const Context& context) const {
  const Tensor hidden = ops::activate(ops::Activation::kRelu, in.q, context.tape);  // [N, H*K]
  return attend(in, second(hidden, context.tape), at_positions(position_keys, in, context.tape),
                context);
}

RandomSynthesizer::RandomSynthesizer(const AttentionSizes& sizes)
    : position_queries(embedding_table(sizes.max_positions, sizes.query_width())),
      position_keys(embedding_table(sizes.max_positions, sizes.key_width())) {}

Tensor RandomSynthesizer::operator()(const SelfInput& in, const Context& context) const {
  return attend(in, at_positions(position_queries, in, context.tape),
                at_positions(position_keys, in, context.tape), context);
}

}  // namespace weft::nn
