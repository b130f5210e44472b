// Gradient checkpointing (Chen et al. 2016, arXiv 1604.06174): time for memory.
#ifndef WEFT_AUTOGRAD_RECOMPUTE_H_
#define WEFT_AUTOGRAD_RECOMPUTE_H_

#include <array>
#include <span>
#include <utility>

#include "weft/autograd/tape.h"

namespace weft::autograd {

// Records y = f(inputs), computed before without a tape. Only the inputs are kept: backward calls
// f(inputs, tape) again, which must do the same once more, and runs back through it. Gradients of
// parameters that f uses are added as if f had run on this tape, where any of `inputs` requires a
// gradient.
template <size_t N, class F>
void record_recomputed(Tape& tape, Tensor& y, const std::array<Tensor, N>& inputs, F f) {
  const auto backward = [inputs, f = std::move(f)](Backward& b) {
    Tape inner;
    std::array<Tensor, N> watched = inputs;
    for (size_t i = 0; i < N; ++i) {
      watched[i].node = kConstant;
      if (b.wants(static_cast<int>(i))) watched[i] = inner.watch(watched[i]);
    }
    const Tensor again = f(watched, &inner);
    inner.backward(again, b.d_output(), b.gradients());
    for (size_t i = 0; i < N; ++i) {
      if (watched[i].node != kConstant) b.add(static_cast<int>(i), b.gradients().of(watched[i]));
    }
  };
  std::array<const Tensor*, N> recorded;
  for (size_t i = 0; i < N; ++i) recorded[i] = &inputs[i];
  tape.record({&y}, std::span<const Tensor* const>(recorded), backward);
}

// The same for y = f() of parameters alone: backward calls f(tape). Backward throws ShapeError
// where none of the parameters of f requires a gradient.
template <class F>
void record_recomputed(Tape& tape, Tensor& y, F f) {
  // Parameters that f uses are no inputs, and an op without one that is watched is not recorded.
  const std::array<Tensor, 1> watched = {tape.watch(Tensor::zeros({1, 1}))};
  record_recomputed(
      tape, y, watched,
      [f = std::move(f)](const std::array<Tensor, 1>&, Tape* inner) { return f(inner); });
}

}  // namespace weft::autograd

#endif  // WEFT_AUTOGRAD_RECOMPUTE_H_
