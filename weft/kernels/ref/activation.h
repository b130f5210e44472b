// Scalar activations and their derivatives.
#ifndef WEFT_KERNELS_REF_ACTIVATION_H_
#define WEFT_KERNELS_REF_ACTIVATION_H_

#include <cmath>
#include <numbers>

#include "weft/kernels/activation_kind.h"

namespace weft::kernels::ref {

// kGeluTanh is x * sigmoid(2 u), u = sqrt(2 / pi) * (x + 0.044715 x^3).
template <class T>
T gelu_tanh_gate(T x) {
  const T u = std::sqrt(2 / std::numbers::pi_v<T>) * (x + T(0.044715) * x * x * x);
  return 1 / (1 + std::exp(-2 * u));
}

template <class T>
T activate(Activation kind, T x) {
  switch (kind) {
    case Activation::kNone: return x;
    case Activation::kRelu: return x > 0 ? x : T{0};
    case Activation::kGelu: return x * std::erfc(-x / std::numbers::sqrt2_v<T>) / 2;
    case Activation::kGeluTanh: return x * gelu_tanh_gate(x);
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
    case Activation::kGeluTanh: {
      const T gate = gelu_tanh_gate(x);
      const T d_u = std::sqrt(2 / std::numbers::pi_v<T>) * (1 + T(0.134145) * x * x);
      return gate + x * gate * (1 - gate) * 2 * d_u;
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
