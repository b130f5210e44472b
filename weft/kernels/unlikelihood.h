// Unlikelihood of candidate classes (Welleck et al. 2019, arXiv 1908.04319).
#ifndef WEFT_KERNELS_UNLIKELIHOOD_H_
#define WEFT_KERNELS_UNLIKELIHOOD_H_

#include <span>

#include "weft/kernels/cost.h"

namespace weft::kernels {

// With logits x [n, V], p = softmax(x_i) and the candidates C of row i, which are distinct classes:
//   loss[i] = -sum over c in C of log(1 - p_c),
// where 1 - p_c is at least kSmallestRest. weight * row_weights[i] * the gradient,
//   sum over c in C of (p_v if v is c, else -p_v p_c / (1 - p_c)) for class v,
// is accumulated into d_x, unless empty.
struct Unlikelihood {
  View x;
  const int32_t* candidates;
  std::span<const int32_t> offsets;  // [n + 1] of each row's candidates
  double weight = 1;
  const float* row_weights = nullptr;  // [n]; null: all 1
  double* loss;
  View d_x = {};

  static constexpr double kSmallestRest = 1e-20;
  static constexpr std::string_view kName = "unlikelihood";
  Cost cost() const { return {0, bytes_of({x, d_x})}; }
};

namespace ref {
void run(const Unlikelihood& call);
}
namespace cpu {
void run(const Unlikelihood& call);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_UNLIKELIHOOD_H_
