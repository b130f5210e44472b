// Label-smoothed cross-entropy and its gradient; see backend.h for the equations.
#ifndef WEFT_KERNELS_CPU_CROSS_ENTROPY_H_
#define WEFT_KERNELS_CPU_CROSS_ENTROPY_H_

#include "weft/kernels/cpu/rows.h"

namespace weft::kernels::cpu {

struct CrossEntropy {
  const int32_t* targets;
  double smoothing;
  double weight;
  double* loss;
  double* nll;
};

// d_x may be x, or empty.
void cross_entropy(const CrossEntropy& c, Floats x, Floats d_x);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_CROSS_ENTROPY_H_
