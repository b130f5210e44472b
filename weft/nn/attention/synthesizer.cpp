#include "weft/nn/attention/synthesizer.h"

#include "weft/nn/attention/config.h"
#include "weft/nn/table.h"
#include "weft/ops/activation.h"

namespace weft::nn {
namespace {

// The table's row for each row's place.
Tensor at_places(const Parameter& table, const SelfInput& in, autograd::Tape* tape) {
  check_positions("synthesizer", *in.of.rows, table.shape.rows());
  return look_up(table, ops::make_ids(in.of.rows->position), 1, tape);
}

Tensor attend(const SelfInput& in, Tensor q, Tensor k, Context& context) {
  return ScoredAttention()({in.x, std::move(q), std::move(k), in.v, in.of, in.options}, context);
}

}  // namespace

DenseSynthesizer::DenseSynthesizer(const AttentionSizes& sizes)
    : second(sizes.query_width(), sizes.query_width(), sizes.has_bias),
      places({sizes.max_positions, sizes.key_width()}, Init::kNormal) {}

Tensor DenseSynthesizer::operator()(const SelfInput& in, Context& context) const {
  const Tensor hidden = ops::activate(ops::Activation::kRelu, in.q, context.tape);  // [N, H*K]
  return attend(in, second(hidden, context.tape), at_places(places, in, context.tape), context);
}

RandomSynthesizer::RandomSynthesizer(const AttentionSizes& sizes)
    : query_places({sizes.max_positions, sizes.query_width()}, Init::kNormal),
      places({sizes.max_positions, sizes.key_width()}, Init::kNormal) {}

Tensor RandomSynthesizer::operator()(const SelfInput& in, Context& context) const {
  return attend(in, at_places(query_places, in, context.tape), at_places(places, in, context.tape),
                context);
}

}  // namespace weft::nn
