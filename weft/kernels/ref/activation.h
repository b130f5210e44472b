// Reference activations and gated units.
#ifndef WEFT_KERNELS_REF_ACTIVATION_H_
#define WEFT_KERNELS_REF_ACTIVATION_H_

#include <cmath>
#include <numbers>

#include "weft/kernels/backend.h"

namespace weft::kernels::ref {

template <class T>
T activate(Activation kind, T x) {
  switch (kind) {
    case Activation::kNone: return x;
    case Activation::kRelu: return x > 0 ? x : T{0};
    case Activation::kGelu: return x * std::erfc(-x / std::numbers::sqrt2_v<T>) / 2;
    case Activation::kSilu: return x / (1 + std::exp(-x));
    case Activation::kTanh: return std::tanh(x);
    case Activation::kSigmoid: return 1 / (1 + std::exp(-x));
    case Activation::kEluPlusOne: return x > 0 ? x + 1 : std::exp(x);
  }
  return x;
}

// The derivative of activate() at x.
template <class T>
T d_activate(Activation kind, T x) {
  switch (kind) {
    case Activation::kNone: return 1;
    case Activation::kRelu: return x > 0 ? T{1} : T{0};
    case Activation::kGelu: {
      const T density = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi_v<T>);
      return std::erfc(-x / std::numbers::sqrt2_v<T>) / 2 + x * density;
    }
    case Activation::kSilu: {
      const T sigmoid = 1 / (1 + std::exp(-x));
      return sigmoid * (1 + x * (1 - sigmoid));
    }
    case Activation::kTanh: {
      const T y = std::tanh(x);
      return 1 - y * y;
    }
    case Activation::kSigmoid: {
      const T sigmoid = 1 / (1 + std::exp(-x));
      return sigmoid * (1 - sigmoid);
    }
    case Activation::kEluPlusOne: return x > 0 ? T{1} : std::exp(x);
  }
  return 1;
}

template <class T>
void activation(Activation kind, Matrix<T> x, Matrix<T> y) {
  for (int64_t n = 0; n < x.rows; ++n) {
    for (int64_t f = 0; f < x.cols; ++f) y.row(n)[f] = activate(kind, x.row(n)[f]);
  }
}

template <class T>
void d_activation(Activation kind, Matrix<T> x, Matrix<T> d_y, Matrix<T> d_x) {
  for (int64_t n = 0; n < x.rows; ++n) {
    for (int64_t f = 0; f < x.cols; ++f) {
      d_x.row(n)[f] = d_y.row(n)[f] * d_activate(kind, x.row(n)[f]);
    }
  }
}

template <class T>
void gate(Activation kind, Matrix<T> x, Matrix<T> y) {
  for (int64_t n = 0; n < y.rows; ++n) {
    const T* opened = x.row(n) + y.cols;
    for (int64_t f = 0; f < y.cols; ++f) y.row(n)[f] = activate(kind, x.row(n)[f]) * opened[f];
  }
}

template <class T>
void d_gate(Activation kind, Matrix<T> x, Matrix<T> d_y, Matrix<T> d_x) {
  const int64_t width = d_y.cols;
  for (int64_t n = 0; n < d_y.rows; ++n) {
    for (int64_t f = 0; f < width; ++f) {
      const T gated = x.row(n)[f], opened = x.row(n)[width + f], d = d_y.row(n)[f];
      d_x.row(n)[f] = d * opened * d_activate(kind, gated);
      d_x.row(n)[width + f] = d * activate(kind, gated);
    }
  }
}

}  // namespace weft::kernels::ref

#endif  // WEFT_KERNELS_REF_ACTIVATION_H_
