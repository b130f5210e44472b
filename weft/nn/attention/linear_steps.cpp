#include "weft/nn/attention/linear_steps.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/linear_attention.h"
#include "weft/nn/recurrent/packed_sequence.h"

namespace weft::nn {
namespace {

void run_step(const LinearSteps& rows, const Tensor& out, const Tensor& state,
              const int32_t* position) {
  backend_of(rows.q)(kernels::LinearAttentionStep{.q = rows.q,
                                                  .k = rows.k,
                                                  .v = rows.v,
                                                  .out = out,
                                                  .state = state,
                                                  .position = position,
                                                  .heads = rows.heads,
                                                  .by_weight = rows.by_weight});
}

}  // namespace

Tensor LinearSteps::step(KvCache& cache, const Context& context) const {
  const auto layer = static_cast<size_t>(context.scope.layer);
  Tensor state = cache.continue_state(layer, state_size(), q.dtype());
  Tensor out = Tensor::empty(v.shape(), v.dtype());
  run_step(*this, out, state, cache.rows()->position.data());
  cache.keep_state(layer, std::move(state));
  return out;
}

Tensor LinearSteps::prefill(KvCache& cache, const Context& context) const {
  const auto layer = static_cast<size_t>(context.scope.layer);
  const PackedSequence order(*cache.rows(), Direction::kForward);
  const auto packed = [&](const Tensor& x) { return ops::select_rows(x, order.rows, nullptr); };
  const Tensor state = ops::select_rows(cache.continue_state(layer, state_size(), q.dtype()),
                                        order.sequences, nullptr);
  const Tensor packed_q = packed(q), packed_k = packed(k), packed_v = packed(v);
  const Tensor out = Tensor::empty(v.shape(), v.dtype());
  for (size_t t = 0; t + 1 < order.steps->size(); ++t) {
    const int32_t begin = (*order.steps)[t], end = (*order.steps)[t + 1];
    const auto part = [&](const Tensor& x) { return x.row_range(begin, end); };
    run_step({part(packed_q), part(packed_k), part(packed_v), heads, by_weight}, part(out),
             state.row_range(0, end - begin), order.numbered->position.data() + begin);
  }
  cache.keep_state(layer, ops::select_rows(state, ops::inverse(order.sequences), nullptr));
  return ops::select_rows(out, ops::inverse(order.rows), nullptr);
}

}  // namespace weft::nn
