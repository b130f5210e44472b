// Gradient checkpointing (Chen et al. 2016, arXiv 1604.06174): time for memory.
#ifndef WEFT_AUTOGRAD_RECOMPUTE_H_
#define WEFT_AUTOGRAD_RECOMPUTE_H_

#include <span>
#include <utility>
#include <vector>

#include "weft/autograd/tape.h"

namespace weft::autograd {

// Records y = f(inputs), computed before without a tape. Only the inputs are kept: backward calls
// f(inputs, tape) again, which must do the same once more, and runs back through it. Gradients of
// parameters that f uses are added as if f had run on this tape.
template <class F>
void record_recomputed(Tape& tape, Tensor& y, const std::vector<Tensor>& inputs, F f) {
  const auto backward = [inputs, f = std::move(f)](Backward& b) {
    Tape inner;
    std::vector<Tensor> watched = inputs;
    for (size_t i = 0; i < inputs.size(); ++i) {
      watched[i].node = kConstant;
      if (b.wants(static_cast<int>(i))) watched[i] = inner.watch(watched[i]);
    }
    const Tensor again = f(std::span<const Tensor>(watched), &inner);
    inner.backward(again, b.d_output(), b.gradients());
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (watched[i].node == kConstant) continue;
      if (const Tensor d = b.gradients().of(watched[i])) b.add(static_cast<int>(i), d);
    }
  };
  std::vector<const Tensor*> followed;
  for (const Tensor& x : inputs) followed.push_back(&x);
  tape.record({&y}, followed, backward);
}

}  // namespace weft::autograd

#endif  // WEFT_AUTOGRAD_RECOMPUTE_H_
