#include "weft/kernels/activation.h"

#include "weft/kernels/cpu/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/activation.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/activation-inl.h"
#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

// Calls body with the activation's type and the element type.
template <class Body>
HWY_INLINE void with_both(Activation kind, DType type, Body body) {
  with_activation(kind, [&]<class A>(A a) HWY_ATTR {
    with_type(type, [&]<class T>(T t) HWY_ATTR { body(a, t); });
  });
}

void activation(Activation kind, const View& from, const View& to) {
  with_both(kind, from.dtype, [&]<class A, class T>(A, T) HWY_ATTR {
    const T* x = from.as<T>().data;
    T* y = to.as<T>().data;
    for_lanes(to.cols,
              [=](auto d, int64_t i) HWY_ATTR { store(A::at(d, load(d, x + i)).value, d, y + i); });
  });
}

void d_activation(Activation kind, const View& from, const View& d_y_view, const View& to) {
  with_both(kind, from.dtype, [&]<class A, class T>(A, T) HWY_ATTR {
    const T *x = from.as<T>().data, *d_y = d_y_view.as<T>().data;
    T* d_x = to.as<T>().data;
    for_lanes(to.cols, [=](auto d, int64_t i) HWY_ATTR {
      const auto slope = A::at(d, load(d, x + i)).derivative;
      store(hn::Mul(load(d, d_y + i), slope), d, d_x + i);
    });
  });
}

void gate(Activation kind, const View& from, const View& to) {
  with_both(kind, from.dtype, [&]<class A, class T>(A, T) HWY_ATTR {
    const int64_t n = to.cols;
    for (int64_t row = 0; row < to.rows; ++row) {
      const T* x = from.as<T>().row(row);
      T* y = to.as<T>().row(row);
      for_lanes(n, [=](auto d, int64_t i) HWY_ATTR {
        const auto gated = A::at(d, load(d, x + i)).value;
        store(hn::Mul(gated, load(d, x + n + i)), d, y + i);
      });
    }
  });
}

void d_gate(Activation kind, const View& from, const View& d_y_view, const View& to) {
  with_both(kind, from.dtype, [&]<class A, class T>(A, T) HWY_ATTR {
    const int64_t n = d_y_view.cols;
    for (int64_t row = 0; row < d_y_view.rows; ++row) {
      const T *x = from.as<T>().row(row), *d_y = d_y_view.as<T>().row(row);
      T* d_x = to.as<T>().row(row);
      for_lanes(n, [=](auto d, int64_t i) HWY_ATTR {
        const auto a = A::at(d, load(d, x + i));
        const auto opened = load(d, x + n + i), upper = load(d, d_y + i);
        store(hn::Mul(hn::Mul(upper, opened), a.derivative), d, d_x + i);
        store(hn::Mul(upper, a.value), d, d_x + n + i);
      });
    }
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

void run(const Activate& k) {
  if (!is_fast(k.x)) return ref::run(k);
  parallel_row_spans({k.x, k.y}, [&](int64_t row, int64_t begin, int64_t n) {
    HWY_DYNAMIC_DISPATCH(activation)
    (k.kind, row_span(k.x, row, begin, n), row_span(k.y, row, begin, n));
  });
}

void run(const ActivateBackward& k) {
  if (!is_fast(k.x)) return ref::run(k);
  parallel_row_spans({k.x, k.d_y, k.d_x}, [&](int64_t row, int64_t begin, int64_t n) {
    HWY_DYNAMIC_DISPATCH(d_activation)
    (k.kind, row_span(k.x, row, begin, n), row_span(k.d_y, row, begin, n),
     row_span(k.d_x, row, begin, n));
  });
}

void run(const Gate& k) {
  if (!is_fast(k.x)) return ref::run(k);
  parallel_rows(k.y.rows, k.x.cols, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(gate)(k.kind, k.x.range(begin, end), k.y.range(begin, end));
  });
}

void run(const GateBackward& k) {
  if (!is_fast(k.x)) return ref::run(k);
  parallel_rows(k.d_y.rows, k.x.cols, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(d_gate)
    (k.kind, k.x.range(begin, end), k.d_y.range(begin, end), k.d_x.range(begin, end));
  });
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
