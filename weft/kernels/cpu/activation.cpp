#include "weft/kernels/cpu/activation.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/activation.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

// An activation's value and its derivative at x.
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

struct Silu {
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE Slope<V> at(D d, V x) {
    const auto one = hn::Set(d, 1.0f);
    const auto s = sigmoid(d, x);
    return {hn::Mul(x, s), hn::Mul(s, hn::MulAdd(x, hn::Sub(one, s), one))};
  }
};

// Calls body with the type of an activation.
template <class Body>
HWY_INLINE void with_activation(Activation kind, Body body) {
  switch (kind) {
    case Activation::kNone: return body(Identity());
    case Activation::kRelu: return body(Relu());
    case Activation::kGelu: return body(Gelu());
    case Activation::kSilu: return body(Silu());
  }
}

void activation(Activation kind, const float* x, float* y, int64_t n) {
  with_activation(kind, [=]<class A>(A) HWY_ATTR {
    for_lanes(n, [=](auto d, int64_t i)
                     HWY_ATTR { hn::StoreU(A::at(d, hn::LoadU(d, x + i)).value, d, y + i); });
  });
}

void d_activation(Activation kind, const float* x, const float* d_y, float* d_x, int64_t n) {
  with_activation(kind, [=]<class A>(A) HWY_ATTR {
    for_lanes(n, [=](auto d, int64_t i) HWY_ATTR {
      const auto slope = A::at(d, hn::LoadU(d, x + i)).derivative;
      hn::StoreU(hn::Mul(hn::LoadU(d, d_y + i), slope), d, d_x + i);
    });
  });
}

void gate(Activation kind, const float* x, float* y, int64_t n) {
  with_activation(kind, [=]<class A>(A) HWY_ATTR {
    for_lanes(n, [=](auto d, int64_t i) HWY_ATTR {
      const auto gated = A::at(d, hn::LoadU(d, x + i)).value;
      hn::StoreU(hn::Mul(gated, hn::LoadU(d, x + n + i)), d, y + i);
    });
  });
}

void d_gate(Activation kind, const float* x, const float* d_y, float* d_x, int64_t n) {
  with_activation(kind, [=]<class A>(A) HWY_ATTR {
    for_lanes(n, [=](auto d, int64_t i) HWY_ATTR {
      const auto a = A::at(d, hn::LoadU(d, x + i));
      const auto opened = hn::LoadU(d, x + n + i), upper = hn::LoadU(d, d_y + i);
      hn::StoreU(hn::Mul(hn::Mul(upper, opened), a.derivative), d, d_x + i);
      hn::StoreU(hn::Mul(upper, a.value), d, d_x + n + i);
    });
  });
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(activation);
HWY_EXPORT(d_activation);
HWY_EXPORT(gate);
HWY_EXPORT(d_gate);

void activation(Activation kind, Floats x, Floats y) {
  parallel_stretches({x, y}, [=](int64_t row, int64_t begin, int64_t n) {
    HWY_DYNAMIC_DISPATCH(activation)(kind, x.row(row) + begin, y.row(row) + begin, n);
  });
}

void d_activation(Activation kind, Floats x, Floats d_y, Floats d_x) {
  parallel_stretches({x, d_y, d_x}, [=](int64_t row, int64_t begin, int64_t n) {
    HWY_DYNAMIC_DISPATCH(d_activation)
    (kind, x.row(row) + begin, d_y.row(row) + begin, d_x.row(row) + begin, n);
  });
}

void gate(Activation kind, Floats x, Floats y) {
  parallel_rows(y.rows, x.cols, [=](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      HWY_DYNAMIC_DISPATCH(gate)(kind, x.row(row), y.row(row), y.cols);
    }
  });
}

void d_gate(Activation kind, Floats x, Floats d_y, Floats d_x) {
  parallel_rows(d_y.rows, x.cols, [=](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      HWY_DYNAMIC_DISPATCH(d_gate)(kind, x.row(row), d_y.row(row), d_x.row(row), d_y.cols);
    }
  });
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
