#include "weft/kernels/ref/binary_cross_entropy.h"

#include <algorithm>

#include "weft/core/parallel.h"

namespace weft::kernels::cpu {

// The cost per row is one pass over the labels, small compared to the layers that compute the
// logits.
void run(const BinaryCrossEntropy& call) {
  const int64_t grain = std::max<int64_t>(1, 2048 / std::max<int64_t>(1, call.x.cols));
  parallel_for(call.x.rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) ref::binary_cross_entropy(call, n);
  });
}

}  // namespace weft::kernels::cpu
