// Sums and maxima; sums run in an order that does not depend on the number of threads.
#ifndef WEFT_KERNELS_CPU_REDUCE_H_
#define WEFT_KERNELS_CPU_REDUCE_H_

#include "weft/kernels/cpu/rows.h"

namespace weft::kernels::cpu {

void column_sum(View x, float* y);          // y[f] += sum over rows of x[:, f]
double sum_of_squares(Floats x);            // in double
void row_argmax(Floats x, int32_t* index);  // the first of equals

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_REDUCE_H_
