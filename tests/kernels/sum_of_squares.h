// The sum of the squares of a matrix.
#ifndef WEFT_TESTS_KERNELS_SUM_OF_SQUARES_H_
#define WEFT_TESTS_KERNELS_SUM_OF_SQUARES_H_

#include "weft/kernels/backend.h"
#include "weft/kernels/reduce.h"

namespace weft::kernels::test {

inline double sum_of_squares(const Backend& backend, View x) {
  double sum = 0;
  backend(SumOfSquares{.x = x, .sum = &sum});
  return sum;
}

}  // namespace weft::kernels::test

#endif  // WEFT_TESTS_KERNELS_SUM_OF_SQUARES_H_
