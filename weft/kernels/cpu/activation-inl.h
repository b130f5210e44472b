// Activations on F32 vectors.
#if defined(WEFT_KERNELS_CPU_ACTIVATION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_CPU_ACTIVATION_INL_H_
#undef WEFT_KERNELS_CPU_ACTIVATION_INL_H_
#else
#define WEFT_KERNELS_CPU_ACTIVATION_INL_H_
#endif

#include <hwy/highway.h>

#include "weft/kernels/activation_kind.h"
#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

// The value and the derivative of an activation at x.
template <class V>
struct Slope {
  V value, derivative;
};

struct Identity {
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE Slope<V> at(D d, V x) {
    return {x, hn::Set(d, 1.0f)};
  }
};

struct Relu {
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE Slope<V> at(D d, V x) {
    const auto positive = hn::Gt(x, hn::Zero(d));
    return {hn::IfThenElseZero(positive, x), hn::IfThenElseZero(positive, hn::Set(d, 1.0f))};
  }
};

struct Gelu {
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE Slope<V> at(D d, V x) {
    V bell;
    const auto cdf = normal_cdf(d, x, bell);
    const auto density = hn::Mul(bell, hn::Set(d, 0.398942280f));
    return {hn::Mul(x, cdf), hn::MulAdd(x, density, cdf)};
  }
};

struct GeluTanh {
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE Slope<V> at(D d, V x) {
    constexpr float kScale = 2 * 0.797884561f;  // 2 sqrt(2 / pi)
    const auto one = hn::Set(d, 1.0f), scale = hn::Set(d, kScale);
    const auto square = hn::Mul(x, x);
    const auto gate =
        sigmoid(d, hn::Mul(hn::Mul(scale, x), hn::MulAdd(square, hn::Set(d, 0.044715f), one)));
    const auto inner = hn::Mul(scale, hn::MulAdd(square, hn::Set(d, 0.134145f), one));
    const auto change = hn::Mul(hn::Mul(x, hn::Sub(one, gate)), inner);
    return {hn::Mul(x, gate), hn::MulAdd(gate, change, gate)};
  }
};

struct Silu {
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE Slope<V> at(D d, V x) {
    const auto one = hn::Set(d, 1.0f);
    const auto s = sigmoid(d, x);
    return {hn::Mul(x, s), hn::Mul(s, hn::MulAdd(x, hn::Sub(one, s), one))};
  }
};

struct Tanh {
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE Slope<V> at(D d, V x) {
    const auto y = tanh(d, x);
    return {y, hn::NegMulAdd(y, y, hn::Set(d, 1.0f))};
  }
};

struct EluPlusOne {
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE Slope<V> at(D d, V x) {
    const auto one = hn::Set(d, 1.0f), zero = hn::Zero(d);
    const auto is_positive = hn::Gt(x, zero);
    const auto power = exp(d, hn::Min(x, zero));
    return {hn::IfThenElse(is_positive, hn::Add(x, one), power),
            hn::IfThenElse(is_positive, one, power)};
  }
};

struct Sigmoid {
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE Slope<V> at(D d, V x) {
    const auto s = sigmoid(d, x);
    return {s, hn::NegMulAdd(s, s, s)};
  }
};

// Calls body with the type that implements an activation.
template <class Body>
HWY_INLINE void with_activation(Activation kind, Body body) {
  switch (kind) {
    case Activation::kNone: return body(Identity());
    case Activation::kRelu: return body(Relu());
    case Activation::kGelu: return body(Gelu());
    case Activation::kGeluTanh: return body(GeluTanh());
    case Activation::kSilu: return body(Silu());
    case Activation::kTanh: return body(Tanh());
    case Activation::kSigmoid: return body(Sigmoid());
    case Activation::kEluPlusOne: return body(EluPlusOne());
  }
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_CPU_ACTIVATION_INL_H_
