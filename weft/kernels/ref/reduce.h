// Reference reductions.
#ifndef WEFT_KERNELS_REF_REDUCE_H_
#define WEFT_KERNELS_REF_REDUCE_H_

#include "weft/kernels/view.h"

namespace weft::kernels::ref {

template <class T>
void column_sum(Matrix<T> x, Matrix<T> y) {
  for (int64_t f = 0; f < x.cols; ++f) {
    T sum = 0;
    for (int64_t n = 0; n < x.rows; ++n) sum += x.row(n)[f];
    y.data[f] += sum;
  }
}

template <class T>
double sum_of_squares(Matrix<T> x) {
  double sum = 0;
  for (int64_t n = 0; n < x.rows; ++n) {
    for (int64_t f = 0; f < x.cols; ++f) sum += double{x.row(n)[f]} * double{x.row(n)[f]};
  }
  return sum;
}

template <class T>
void row_argmax(Matrix<T> x, int32_t* index) {
  for (int64_t n = 0; n < x.rows; ++n) {
    int64_t best = 0;
    for (int64_t f = 1; f < x.cols; ++f) {
      if (x.row(n)[f] > x.row(n)[best]) best = f;
    }
    index[n] = static_cast<int32_t>(best);
  }
}

}  // namespace weft::kernels::ref

#endif  // WEFT_KERNELS_REF_REDUCE_H_
