// Reference elementwise kernels.
#ifndef WEFT_KERNELS_REF_ELEMENTWISE_H_
#define WEFT_KERNELS_REF_ELEMENTWISE_H_

#include "weft/core/bf16.h"
#include "weft/kernels/view.h"

namespace weft::kernels::ref {

// One element as another type; BF16 goes by way of float.
template <class To, class From>
To convert(From x) {
  if constexpr (std::is_same_v<To, From>) {
    return x;
  } else if constexpr (std::is_same_v<From, BF16>) {
    return static_cast<To>(static_cast<float>(x));
  } else if constexpr (std::is_same_v<To, BF16>) {
    return BF16(static_cast<float>(x));
  } else {
    return static_cast<To>(x);
  }
}

template <class T>
void fill(Matrix<T> y, double value) {
  for (int64_t n = 0; n < y.rows; ++n) {
    for (int64_t f = 0; f < y.cols; ++f) y.row(n)[f] = convert<T>(value);
  }
}

template <class From, class To>
void copy(Matrix<From> x, Matrix<To> y) {
  for (int64_t n = 0; n < x.rows; ++n) {
    for (int64_t f = 0; f < x.cols; ++f) y.row(n)[f] = convert<To>(x.row(n)[f]);
  }
}

template <class T>
void add(Matrix<T> x, Matrix<T> z, Matrix<T> y) {
  for (int64_t n = 0; n < x.rows; ++n) {
    for (int64_t f = 0; f < x.cols; ++f) y.row(n)[f] = x.row(n)[f] + z.row(n)[f];
  }
}

template <class T>
void multiply(Matrix<T> x, Matrix<T> z, Matrix<T> y) {
  for (int64_t n = 0; n < x.rows; ++n) {
    for (int64_t f = 0; f < x.cols; ++f) y.row(n)[f] = x.row(n)[f] * z.row(n)[f];
  }
}

template <class T>
void divide(Matrix<T> x, Matrix<T> z, Matrix<T> y) {
  for (int64_t n = 0; n < x.rows; ++n) {
    for (int64_t f = 0; f < x.cols; ++f) y.row(n)[f] = x.row(n)[f] / z.row(n)[f];
  }
}

template <class T>
void scale(double alpha, Matrix<T> x, Matrix<T> y) {
  for (int64_t n = 0; n < x.rows; ++n) {
    for (int64_t f = 0; f < x.cols; ++f) y.row(n)[f] = static_cast<T>(alpha) * x.row(n)[f];
  }
}

template <class T>
void scale_rows(Matrix<T> x, const float* factors, Matrix<T> y) {
  for (int64_t n = 0; n < x.rows; ++n) {
    const auto factor = static_cast<T>(factors[n]);
    for (int64_t f = 0; f < x.cols; ++f) {
      y.row(n)[f] = factor == 0 ? T{0} : factor * x.row(n)[f];
    }
  }
}

template <class T>
void accumulate(double alpha, Matrix<T> x, Matrix<T> y) {
  for (int64_t n = 0; n < x.rows; ++n) {
    for (int64_t f = 0; f < x.cols; ++f) y.row(n)[f] += static_cast<T>(alpha) * x.row(n)[f];
  }
}

}  // namespace weft::kernels::ref

#endif  // WEFT_KERNELS_REF_ELEMENTWISE_H_
