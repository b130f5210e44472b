// When, on the way back, the gradient of each part of the parameters is final.
#ifndef WEFT_AUTOGRAD_COMPLETION_H_
#define WEFT_AUTOGRAD_COMPLETION_H_

#include <cstdint>
#include <vector>

namespace weft::autograd {

// Told, while backward runs, what has become final: all of [0, P), each place once.
class GradientObserver {
 public:
  virtual ~GradientObserver() = default;
  // This backward will add nothing more to [begin, end) of the flat gradient.
  virtual void completed(int64_t begin, int64_t end) = 0;
};

// Node `node` of a tape has parameters [begin, end) of the flat buffer as an input.
struct ParameterUse {
  int32_t node = 0;
  int64_t begin = 0, end = 0;
};

// Finds, for each element of [0, parameters), the first node that uses it, which is the last to run
// back. Returns disjoint ranges in the order of falling node. Elements that no node uses come last,
// with node -1, since an op may add to gradients of parameters that are not among its own inputs (a
// recomputed layer does).
std::vector<ParameterUse> completions(const std::vector<ParameterUse>& uses, int64_t parameters);

}  // namespace weft::autograd

#endif  // WEFT_AUTOGRAD_COMPLETION_H_
