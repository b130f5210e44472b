#include "weft/kernels/recurrent.h"

#include <cmath>

#include "weft/kernels/cpu/rows.h"
#include "weft/kernels/cpu/scratch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/recurrent.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/activation-inl.h"
#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

// The gate inputs of some units of one row: projected input x and projected previous output h.
template <class D, class T>
struct Gates {
  D d;
  const T *x, *h;  // of the first of these units in the first gate
  int64_t units;

  HWY_INLINE hn::Vec<D> x_of(int gate) const { return load(d, x + gate * units); }
  HWY_INLINE hn::Vec<D> h_of(int gate) const { return load(d, h + gate * units); }
  HWY_INLINE hn::Vec<D> sum(int gate) const { return hn::Add(x_of(gate), h_of(gate)); }
};

// The outputs for the gradients of those units: of the gates from x and h, and of the state.
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
    const auto d_next = load(d, d_y);
    const auto d_n = hn::Mul(hn::Mul(d_next, hn::Sub(one, z)), hn::NegMulAdd(n, n, one));
    const auto d_r = hn::Mul(hn::Mul(d_n, h_n), hn::NegMulAdd(r, r, r));
    const auto d_z = hn::Mul(hn::Mul(d_next, hn::Sub(load(d, s), n)), hn::NegMulAdd(z, z, z));
    const int64_t units = gates.units;
    store(d_r, d, to.d_x);
    store(d_r, d, to.d_h);
    store(d_z, d, to.d_x + units);
    store(d_z, d, to.d_h + units);
    store(d_n, d, to.d_x + 2 * units);
    store(hn::Mul(d_n, r), d, to.d_h + 2 * units);
    store(hn::Mul(d_next, z), d, to.d_s);
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
    const auto before = load(d, s + units), d_next = load(d, d_y);
    const auto tanh_c = tanh(d, hn::MulAdd(f, before, hn::Mul(i, g)));
    const auto through = hn::Mul(hn::Mul(d_next, o), hn::NegMulAdd(tanh_c, tanh_c, one));
    const auto d_c = hn::Add(load(d, d_y + units), through);
    const auto put = [&](int gate, auto value) HWY_ATTR {
      store(value, d, to.d_x + gate * units);
      store(value, d, to.d_h + gate * units);
    };
    put(0, hn::Mul(hn::Mul(d_c, g), hn::NegMulAdd(i, i, i)));
    put(1, hn::Mul(hn::Mul(d_c, before), hn::NegMulAdd(f, f, f)));
    put(2, hn::Mul(hn::Mul(d_c, i), hn::NegMulAdd(g, g, one)));
    put(3, hn::Mul(hn::Mul(d_next, tanh_c), hn::NegMulAdd(o, o, o)));
    store(hn::Zero(d), d, to.d_s);
    store(hn::Mul(d_c, f), d, to.d_s + units);
  }
};

// Calls body with the cell's type and the element type.
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

void d_step_rows(const CellBackward& g, int64_t begin, int64_t end) {
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

// weights = softmax(weights), n elements. A scalar loop, since sources are short.
HWY_INLINE void softmax_in_place(float* weights, int64_t n) {
  if (n == 0) return;
  const float top = max_of(weights, n);
  float sum = 0;
  const OneFloatTag one;
  for (int64_t t = 0; t < n; ++t) {
    weights[t] = hn::GetLane(exp(one, hn::Set(one, weights[t] - top)));
    sum += weights[t];
  }
  for (int64_t t = 0; t < n; ++t) weights[t] /= sum;
}

// `T` is the type of the queries, `Cached` that of keys and values.
template <class T, class Cached>
HWY_INLINE void attend_row(const AdditiveAttention& a, int64_t w) {
  const int64_t begin = a.offsets[w], end = a.offsets[w + 1], size = a.q.cols;
  const T *q = a.q.as<T>().row(w), *v = a.v.as<T>().data;
  float* weights = a.weights.as<float>().data;
  const auto row_of = [&](int64_t t) HWY_ATTR { return a.rows.empty() ? t : a.rows[t]; };
  for (int64_t t = begin; t < end; ++t) {
    const Cached* key = a.keys.as<Cached>().row(row_of(t));
    weights[t] = sum_over(size, [=](auto d, int64_t i) HWY_ATTR {
      return hn::Mul(load(d, v + i), tanh(d, hn::Add(load(d, q + i), load(d, key + i))));
    });
  }
  softmax_in_place(weights + begin, end - begin);
  T* out = a.out.as<T>().row(w);
  const Matrix<Cached> values = a.values.as<Cached>();
  for_lanes(a.out.cols, [&](auto d, int64_t i) HWY_ATTR {
    auto sum = hn::Zero(d);
    for (int64_t t = begin; t < end; ++t) {
      sum = hn::MulAdd(hn::Set(d, weights[t]), load(d, values.row(row_of(t)) + i), sum);
    }
    store(sum, d, out + i);
  });
}

void additive_attention_rows(const AdditiveAttention& a, int64_t begin, int64_t end) {
  with_type(a.q.dtype, [&]<class T>(T) HWY_ATTR {
    with_type(a.keys.dtype, [&]<class Cached>(Cached) HWY_ATTR {
      for (int64_t w = begin; w < end; ++w) attend_row<T, Cached>(a, w);
    });
  });
}

// Sums of one row over its keys.
struct RowSums {
  float *d_q, *d_v;
};

// The gradients of one key of one row, and its contribution to the row's sums.
template <class T>
HWY_INLINE void d_score_row(const AdditiveAttentionBackward& g, int64_t w, int64_t t, float d_score,
                            RowSums sums) {
  float *d_q = sums.d_q, *d_v = sums.d_v;
  const AdditiveAttention& a = g.forward;
  const T *q = a.q.as<T>().row(w), *v = a.v.as<T>().data, *key = a.keys.as<T>().row(t);
  T* d_key = g.d_keys.as<T>().row(t);
  for_lanes(a.q.cols, [=](auto d, int64_t i) HWY_ATTR {
    const auto s = hn::Set(d, d_score);
    const auto y = tanh(d, hn::Add(load(d, q + i), load(d, key + i)));
    const auto slope = hn::NegMulAdd(y, y, hn::Set(d, 1.0f));
    const auto d_sum = hn::Mul(hn::Mul(s, load(d, v + i)), slope);
    store(d_sum, d, d_key + i);
    store(hn::Add(load(d, d_q + i), d_sum), d, d_q + i);
    store(hn::MulAdd(s, y, load(d, d_v + i)), d, d_v + i);
  });
}

template <class T>
HWY_INLINE void d_attend_row(const AdditiveAttentionBackward& g, int64_t w) {
  const AdditiveAttention& a = g.forward;
  const int64_t begin = a.offsets[w], end = a.offsets[w + 1], size = a.q.cols;
  const float* weights = a.weights.as<float>().data;
  const T* d_out = g.d_out.as<T>().row(w);
  Scratch scratch;
  float* d_weights = scratch.allocate(end - begin);
  float* d_q = scratch.allocate(size);
  float* d_v = g.d_v.as<float>().row(w);
  std::fill(d_q, d_q + size, 0.0f);
  std::fill(d_v, d_v + size, 0.0f);
  float mean = 0;
  for (int64_t t = begin; t < end; ++t) {
    const T* value = a.values.as<T>().row(t);
    T* d_value = g.d_values.as<T>().row(t);
    const float weight = weights[t];
    d_weights[t - begin] = sum_over(g.d_out.cols, [=](auto d, int64_t i) HWY_ATTR {
      const auto d_out_i = load(d, d_out + i);
      store(hn::Mul(hn::Set(d, weight), d_out_i), d, d_value + i);
      return hn::Mul(d_out_i, load(d, value + i));
    });
    mean += weight * d_weights[t - begin];
  }
  for (int64_t t = begin; t < end; ++t) {
    d_score_row<T>(g, w, t, weights[t] * (d_weights[t - begin] - mean), {d_q, d_v});
  }
  T* to = g.d_q.as<T>().row(w);
  for_lanes(size, [=](auto d, int64_t i) HWY_ATTR { store(load(d, d_q + i), d, to + i); });
}

void d_additive_attention_rows(const AdditiveAttentionBackward& g, int64_t begin, int64_t end) {
  with_type(g.forward.q.dtype, [&]<class T>(T) HWY_ATTR {
    for (int64_t w = begin; w < end; ++w) d_attend_row<T>(g, w);
  });
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(step_rows);
HWY_EXPORT(d_step_rows);
HWY_EXPORT(additive_attention_rows);
HWY_EXPORT(d_additive_attention_rows);

void run(const Cell& c) {
  if (!is_fast(c.x)) return ref::run(c);
  parallel_rows(c, c.next.rows, 4 * c.x.cols, HWY_DYNAMIC_DISPATCH(step_rows));
}

void run(const CellBackward& g) {
  if (!is_fast(g.d_next)) return ref::run(g);
  parallel_rows(g, g.d_next.rows, 8 * g.d_x.cols, HWY_DYNAMIC_DISPATCH(d_step_rows));
}

namespace {

// The mean number of elements accessed per row.
int64_t row_work(const AdditiveAttention& a) {
  return a.offsets[a.q.rows] * (8 * a.q.cols + a.out.cols) / std::max<int64_t>(1, a.q.rows);
}

}  // namespace

void run(const AdditiveAttention& a) {
  if (!is_fast(a.q)) return ref::run(a);
  parallel_rows(a, a.q.rows, row_work(a), HWY_DYNAMIC_DISPATCH(additive_attention_rows));
}

void run(const AdditiveAttentionBackward& g) {
  if (!is_fast(g.forward.q)) return ref::run(g);
  parallel_rows(g, g.forward.q.rows, 2 * row_work(g.forward),
                HWY_DYNAMIC_DISPATCH(d_additive_attention_rows));
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
