// Scalar activations and their derivatives.
#ifndef WEFT_KERNELS_REF_ACTIVATION_H_
#define WEFT_KERNELS_REF_ACTIVATION_H_

#include <cmath>
#include <numbers>

#include "weft/kernels/activation_kind.h"

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

}  // namespace weft::kernels::ref

#endif  // WEFT_KERNELS_REF_ACTIVATION_H_
