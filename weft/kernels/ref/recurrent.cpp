#include "weft/kernels/recurrent.h"

#include "weft/kernels/ref/activation.h"
#include "weft/kernels/ref/elements.h"
#include "weft/kernels/softmax.h"

namespace weft::kernels::ref {
namespace {

template <class T>
T sigmoid(T x) {
  return activate(Activation::kSigmoid, x);
}

// Unit f of one row; the gates of a row have stride `units`.
template <class T>
struct GruUnit {
  T r, z, n;
  GruUnit(const T* x, const T* h, int64_t f, int64_t units)
      : r(sigmoid(x[f] + h[f])),
        z(sigmoid(x[units + f] + h[units + f])),
        n(std::tanh(x[2 * units + f] + r * h[2 * units + f])) {}
};

template <class T>
struct LstmUnit {
  T i, f, g, o;
  LstmUnit(const T* x, const T* h, int64_t index, int64_t units)
      : i(sigmoid(x[index] + h[index])),
        f(sigmoid(x[units + index] + h[units + index])),
        g(std::tanh(x[2 * units + index] + h[2 * units + index])),
        o(sigmoid(x[3 * units + index] + h[3 * units + index])) {}
};

Activation activation_of(CellKind kind) {
  return kind == CellKind::kTanh ? Activation::kTanh : Activation::kRelu;
}

// The gradients of one row. Gradients of gates are written to both d_x and d_h.
template <class T>
struct CellRow {
  const T *x, *h, *state, *d_next;
  T *d_x, *d_h, *d_state;
  int64_t units;

  void put(int64_t gate, int64_t f, T d) const {
    d_x[gate * units + f] = d_h[gate * units + f] = d;
  }
  void plain(Activation kind, int64_t f) const {
    put(0, f, d_next[f] * d_activate(kind, x[f] + h[f]));
    d_state[f] = 0;
  }
  void gru(int64_t f) const {
    const GruUnit<T> u(x, h, f, units);
    const T d = d_next[f], d_n = d * (1 - u.z) * (1 - u.n * u.n);
    put(0, f, d_n * h[2 * units + f] * u.r * (1 - u.r));
    put(1, f, d * (state[f] - u.n) * u.z * (1 - u.z));
    d_x[2 * units + f] = d_n;
    d_h[2 * units + f] = d_n * u.r;
    d_state[f] = d * u.z;
  }
  void lstm(int64_t f) const {
    const LstmUnit<T> u(x, h, f, units);
    const T c = state[units + f], tanh_c = std::tanh(u.f * c + u.i * u.g), d = d_next[f];
    const T d_c = d_next[units + f] + d * u.o * (1 - tanh_c * tanh_c);
    put(0, f, d_c * u.g * u.i * (1 - u.i));
    put(1, f, d_c * c * u.f * (1 - u.f));
    put(2, f, d_c * u.i * (1 - u.g * u.g));
    put(3, f, d * tanh_c * u.o * (1 - u.o));
    d_state[f] = 0;
    d_state[units + f] = d_c * u.f;
  }
};

// The row of keys and values of weight t.
int64_t attended_row(const AdditiveAttention& a, int64_t t) {
  return a.rows.empty() ? t : a.rows[t];
}

// `Cached` is the type of the keys and values.
template <class T, class Cached>
void additive_attention(const AdditiveAttention& a) {
  const auto q = a.q.as<T>(), out = a.out.as<T>();
  const auto keys = a.keys.as<Cached>(), values = a.values.as<Cached>();
  T* weights = a.weights.as<T>().data;
  const T* v = a.v.as<T>().data;
  for (int64_t w = 0; w < q.rows; ++w) {
    const int64_t begin = a.offsets[w], end = a.offsets[w + 1];
    for (int64_t t = begin; t < end; ++t) {
      const Cached* key = keys.row(attended_row(a, t));
      weights[t] = 0;
      for (int64_t f = 0; f < q.cols; ++f) {
        weights[t] += v[f] * std::tanh(q.row(w)[f] + convert<T>(key[f]));
      }
    }
    const View row{weights + begin, dtype_of<T>(), 1, end - begin, end - begin};
    run(Softmax{.x = row, .y = row});
    std::fill(out.row(w), out.row(w) + out.cols, T{0});
    for (int64_t t = begin; t < end; ++t) {
      const Cached* value = values.row(attended_row(a, t));
      for (int64_t f = 0; f < out.cols; ++f) out.row(w)[f] += weights[t] * convert<T>(value[f]);
    }
  }
}

}  // namespace

void run(const Cell& c) {
  visit(c.kName, c.x, [&]<class T>(T) {
    const auto x = c.x.as<T>(), h = c.h.as<T>(), state = c.state.as<T>(), next = c.next.as<T>();
    const int64_t units = c.units();
    for (int64_t n = 0; n < next.rows; ++n) {
      const T *x_n = x.row(n), *h_n = h.row(n), *s = state.row(n);
      T* y = next.row(n);
      for (int64_t f = 0; f < units; ++f) {
        if (c.kind == CellKind::kGru) {
          const GruUnit<T> u(x_n, h_n, f, units);
          y[f] = (1 - u.z) * u.n + u.z * s[f];
        } else if (c.kind == CellKind::kLstm) {
          const LstmUnit<T> u(x_n, h_n, f, units);
          y[units + f] = u.f * s[units + f] + u.i * u.g;
          y[f] = u.o * std::tanh(y[units + f]);
        } else {
          y[f] = activate(activation_of(c.kind), x_n[f] + h_n[f]);
        }
      }
    }
  });
}

void run(const CellBackward& g) {
  visit(g.kName, g.d_next, [&]<class T>(T) {
    const Cell& c = g.forward;
    for (int64_t n = 0; n < g.d_next.rows; ++n) {
      const CellRow<T> row{c.x.as<T>().row(n),       c.h.as<T>().row(n),
                           c.state.as<T>().row(n),   g.d_next.as<T>().row(n),
                           g.d_x.as<T>().row(n),     g.d_h.as<T>().row(n),
                           g.d_state.as<T>().row(n), c.units()};
      for (int64_t f = 0; f < row.units; ++f) {
        if (c.kind == CellKind::kGru) {
          row.gru(f);
        } else if (c.kind == CellKind::kLstm) {
          row.lstm(f);
        } else {
          row.plain(activation_of(c.kind), f);
        }
      }
    }
  });
}

void run(const AdditiveAttention& a) {
  visit(a.kName, a.q, [&]<class T>(T) {
    a.keys.dtype == DType::kBF16 ? additive_attention<T, BF16>(a) : additive_attention<T, T>(a);
  });
}

void run(const AdditiveAttentionBackward& g) {
  visit(g.kName, g.forward.q, [&]<class T>(T) {
    const AdditiveAttention& a = g.forward;
    const auto q = a.q.as<T>(), keys = a.keys.as<T>(), values = a.values.as<T>();
    const auto d_out = g.d_out.as<T>(), d_q = g.d_q.as<T>(), d_v = g.d_v.as<T>();
    const T *weights = a.weights.as<T>().data, *v = a.v.as<T>().data;
    fill(d_q, 0);
    fill(d_v, 0);
    for (int64_t w = 0; w < q.rows; ++w) {
      T mean = 0;
      const auto d_weight = [&](int64_t t) {
        T sum = 0;
        for (int64_t f = 0; f < d_out.cols; ++f) sum += d_out.row(w)[f] * values.row(t)[f];
        return sum;
      };
      for (int64_t t = a.offsets[w]; t < a.offsets[w + 1]; ++t) mean += weights[t] * d_weight(t);
      for (int64_t t = a.offsets[w]; t < a.offsets[w + 1]; ++t) {
        const T d_score = weights[t] * (d_weight(t) - mean);
        for (int64_t f = 0; f < q.cols; ++f) {
          const T y = std::tanh(q.row(w)[f] + keys.row(t)[f]), d = d_score * v[f] * (1 - y * y);
          g.d_keys.as<T>().row(t)[f] = d;
          d_q.row(w)[f] += d;
          d_v.row(w)[f] += d_score * y;
        }
        for (int64_t f = 0; f < d_out.cols; ++f) {
          g.d_values.as<T>().row(t)[f] = weights[t] * d_out.row(w)[f];
        }
      }
    }
  });
}

}  // namespace weft::kernels::ref
