// Reference softmax, log-softmax and their gradients.
#ifndef WEFT_KERNELS_REF_SOFTMAX_H_
#define WEFT_KERNELS_REF_SOFTMAX_H_

#include <algorithm>
#include <cmath>

#include "weft/kernels/view.h"

namespace weft::kernels::ref {

template <class T>
T log_sum_exp(const T* x, int64_t n) {
  const T top = *std::max_element(x, x + n);
  T sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += std::exp(x[i] - top);
  return top + std::log(sum);
}

template <class T>
void softmax(Matrix<T> x, Matrix<T> y) {
  for (int64_t n = 0; n < x.rows && x.cols > 0; ++n) {
    const T top = *std::max_element(x.row(n), x.row(n) + x.cols);
    T sum = 0;
    for (int64_t f = 0; f < x.cols; ++f) sum += y.row(n)[f] = std::exp(x.row(n)[f] - top);
    for (int64_t f = 0; f < x.cols; ++f) y.row(n)[f] /= sum;
  }
}

template <class T>
void d_softmax(Matrix<T> y, Matrix<T> d_y, Matrix<T> d_x) {
  for (int64_t n = 0; n < y.rows; ++n) {
    T dot = 0;
    for (int64_t f = 0; f < y.cols; ++f) dot += y.row(n)[f] * d_y.row(n)[f];
    for (int64_t f = 0; f < y.cols; ++f) {
      d_x.row(n)[f] = y.row(n)[f] * (d_y.row(n)[f] - dot);
    }
  }
}

template <class T>
void log_softmax(Matrix<T> x, Matrix<T> y) {
  for (int64_t n = 0; n < x.rows && x.cols > 0; ++n) {
    const T normaliser = log_sum_exp(x.row(n), x.cols);
    for (int64_t f = 0; f < x.cols; ++f) y.row(n)[f] = x.row(n)[f] - normaliser;
  }
}

template <class T>
void d_log_softmax(Matrix<T> y, Matrix<T> d_y, Matrix<T> d_x) {
  for (int64_t n = 0; n < y.rows; ++n) {
    T sum = 0;
    for (int64_t f = 0; f < y.cols; ++f) sum += d_y.row(n)[f];
    for (int64_t f = 0; f < y.cols; ++f) {
      d_x.row(n)[f] = d_y.row(n)[f] - std::exp(y.row(n)[f]) * sum;
    }
  }
}

}  // namespace weft::kernels::ref

#endif  // WEFT_KERNELS_REF_SOFTMAX_H_
