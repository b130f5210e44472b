#include "weft/kernels/cpu/cell.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/cell.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/activation-inl.h"
#include "weft/kernels/cpu/rows.h"
#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

// Some units of one row: what its input and its last output make of a gate.
template <class D, class T>
struct Gates {
  D d;
  const T *x, *h;  // at the first of these units in the first gate
  int64_t units;

  HWY_INLINE hn::Vec<D> x_of(int gate) const { return load(d, x + gate * units); }
  HWY_INLINE hn::Vec<D> h_of(int gate) const { return load(d, h + gate * units); }
  HWY_INLINE hn::Vec<D> sum(int gate) const { return hn::Add(x_of(gate), h_of(gate)); }
};

// Where the gradients of those units go: of both sides' gates, and of the state.
template <class T>
struct Gradients {
  T *d_x, *d_h, *d_s;
};

template <class A>
struct PlainCell {
  template <class D, class T>
  static HWY_INLINE void next(const Gates<D, T>& gates, const T*, T* y) {
    store(A::at(gates.d, gates.sum(0)).value, gates.d, y);
  }
  template <class D, class T>
  static HWY_INLINE void gradient(const Gates<D, T>& gates, const T*, const T* d_y,
                                  const Gradients<T>& to) {
    const D d = gates.d;
    const auto d_gate = hn::Mul(load(d, d_y), A::at(d, gates.sum(0)).derivative);
    store(d_gate, d, to.d_x);
    store(d_gate, d, to.d_h);
    store(hn::Zero(d), d, to.d_s);
  }
};

struct GruCell {
  template <class D, class T>
  static HWY_INLINE void next(const Gates<D, T>& gates, const T* s, T* y) {
    const D d = gates.d;
    const auto r = sigmoid(d, gates.sum(0)), z = sigmoid(d, gates.sum(1));
    const auto n = tanh(d, hn::MulAdd(r, gates.h_of(2), gates.x_of(2)));
    store(hn::MulAdd(z, hn::Sub(load(d, s), n), n), d, y);
  }
  template <class D, class T>
  static HWY_INLINE void gradient(const Gates<D, T>& gates, const T* s, const T* d_y,
                                  const Gradients<T>& to) {
    const D d = gates.d;
    const auto one = hn::Set(d, 1.0f);
    const auto r = sigmoid(d, gates.sum(0)), z = sigmoid(d, gates.sum(1)), h_n = gates.h_of(2);
    const auto n = tanh(d, hn::MulAdd(r, h_n, gates.x_of(2)));
    const auto above = load(d, d_y);
    const auto d_n = hn::Mul(hn::Mul(above, hn::Sub(one, z)), hn::NegMulAdd(n, n, one));
    const auto d_r = hn::Mul(hn::Mul(d_n, h_n), hn::NegMulAdd(r, r, r));
    const auto d_z = hn::Mul(hn::Mul(above, hn::Sub(load(d, s), n)), hn::NegMulAdd(z, z, z));
    const int64_t units = gates.units;
    store(d_r, d, to.d_x);
    store(d_r, d, to.d_h);
    store(d_z, d, to.d_x + units);
    store(d_z, d, to.d_h + units);
    store(d_n, d, to.d_x + 2 * units);
    store(hn::Mul(d_n, r), d, to.d_h + 2 * units);
    store(hn::Mul(above, z), d, to.d_s);
  }
};

struct LstmCell {
  template <class D, class T>
  static HWY_INLINE void next(const Gates<D, T>& gates, const T* s, T* y) {
    const D d = gates.d;
    const auto i = sigmoid(d, gates.sum(0)), f = sigmoid(d, gates.sum(1));
    const auto g = tanh(d, gates.sum(2)), o = sigmoid(d, gates.sum(3));
    const auto c = hn::MulAdd(f, load(d, s + gates.units), hn::Mul(i, g));
    store(c, d, y + gates.units);
    store(hn::Mul(o, tanh(d, c)), d, y);
  }
  template <class D, class T>
  static HWY_INLINE void gradient(const Gates<D, T>& gates, const T* s, const T* d_y,
                                  const Gradients<T>& to) {
    const D d = gates.d;
    const int64_t units = gates.units;
    const auto one = hn::Set(d, 1.0f);
    const auto i = sigmoid(d, gates.sum(0)), f = sigmoid(d, gates.sum(1));
    const auto g = tanh(d, gates.sum(2)), o = sigmoid(d, gates.sum(3));
    const auto before = load(d, s + units), above = load(d, d_y);
    const auto tanh_c = tanh(d, hn::MulAdd(f, before, hn::Mul(i, g)));
    const auto through = hn::Mul(hn::Mul(above, o), hn::NegMulAdd(tanh_c, tanh_c, one));
    const auto d_c = hn::Add(load(d, d_y + units), through);
    const auto put = [&](int gate, auto value) HWY_ATTR {
      store(value, d, to.d_x + gate * units);
      store(value, d, to.d_h + gate * units);
    };
    put(0, hn::Mul(hn::Mul(d_c, g), hn::NegMulAdd(i, i, i)));
    put(1, hn::Mul(hn::Mul(d_c, before), hn::NegMulAdd(f, f, f)));
    put(2, hn::Mul(hn::Mul(d_c, i), hn::NegMulAdd(g, g, one)));
    put(3, hn::Mul(hn::Mul(above, tanh_c), hn::NegMulAdd(o, o, o)));
    store(hn::Zero(d), d, to.d_s);
    store(hn::Mul(d_c, f), d, to.d_s + units);
  }
};

// Calls body with the types of a cell and of the elements.
template <class Body>
HWY_INLINE void with_cell(CellKind kind, DType type, Body body) {
  with_type(type, [&]<class T>(T t) HWY_ATTR {
    switch (kind) {
      case CellKind::kTanh: return body(PlainCell<Tanh>(), t);
      case CellKind::kRelu: return body(PlainCell<Relu>(), t);
      case CellKind::kGru: return body(GruCell(), t);
      case CellKind::kLstm: return body(LstmCell(), t);
    }
  });
}

void step_rows(const Cell& c, int64_t begin, int64_t end) {
  with_cell(c.kind, c.x.dtype, [&]<class C, class T>(C, T) HWY_ATTR {
    const int64_t units = c.units();
    for (int64_t n = begin; n < end; ++n) {
      const T *x = c.x.as<T>().row(n), *h = c.h.as<T>().row(n), *s = c.state.as<T>().row(n);
      T* y = c.next.as<T>().row(n);
      for_lanes(units, [=](auto d, int64_t i) HWY_ATTR {
        C::next(Gates<decltype(d), T>{d, x + i, h + i, units}, s + i, y + i);
      });
    }
  });
}

void d_step_rows(const CellGradient& g, int64_t begin, int64_t end) {
  const Cell& c = g.forward;
  with_cell(c.kind, c.x.dtype, [&]<class C, class T>(C, T) HWY_ATTR {
    const int64_t units = c.units();
    for (int64_t n = begin; n < end; ++n) {
      const T *x = c.x.as<T>().row(n), *h = c.h.as<T>().row(n), *s = c.state.as<T>().row(n);
      const T* d_y = g.d_next.as<T>().row(n);
      T *d_x = g.d_x.as<T>().row(n), *d_h = g.d_h.as<T>().row(n);
      T* d_s = g.d_state.as<T>().row(n);
      for_lanes(units, [=](auto d, int64_t i) HWY_ATTR {
        C::gradient(Gates<decltype(d), T>{d, x + i, h + i, units}, s + i, d_y + i,
                    Gradients<T>{d_x + i, d_h + i, d_s + i});
      });
    }
  });
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(step_rows);
HWY_EXPORT(d_step_rows);

void cell(const Cell& c) {
  parallel_rows(c.next.rows, 4 * c.x.cols, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(step_rows)(c, begin, end);
  });
}

void d_cell(const CellGradient& g) {
  parallel_rows(g.d_next.rows, 8 * g.d_x.cols, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(d_step_rows)(g, begin, end);
  });
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
