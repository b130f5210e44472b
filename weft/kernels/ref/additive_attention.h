// Reference additive attention.
#ifndef WEFT_KERNELS_REF_ADDITIVE_ATTENTION_H_
#define WEFT_KERNELS_REF_ADDITIVE_ATTENTION_H_

#include <cmath>

#include "weft/kernels/backend.h"
#include "weft/kernels/ref/elementwise.h"
#include "weft/kernels/ref/softmax.h"

namespace weft::kernels::ref {

// The row of keys and values that a row's `t`-th weight stands for.
inline int64_t seen_row(const AdditiveAttention& a, int64_t t) {
  return a.rows.empty() ? t : a.rows[t];
}

// `Kept` is the type of the keys and values.
template <class T, class Kept>
void additive_attention(const AdditiveAttention& a) {
  const auto q = a.q.as<T>(), out = a.out.as<T>();
  const auto keys = a.keys.as<Kept>(), values = a.values.as<Kept>();
  T* weights = a.weights.as<T>().data;
  const T* v = a.v.as<T>().data;
  for (int64_t w = 0; w < q.rows; ++w) {
    const int64_t begin = a.offsets[w], end = a.offsets[w + 1];
    for (int64_t t = begin; t < end; ++t) {
      const Kept* key = keys.row(seen_row(a, t));
      weights[t] = 0;
      for (int64_t f = 0; f < q.cols; ++f) {
        weights[t] += v[f] * std::tanh(q.row(w)[f] + convert<T>(key[f]));
      }
    }
    const Matrix<T> row{weights + begin, 1, end - begin, end - begin};
    softmax(row, row);
    std::fill(out.row(w), out.row(w) + out.cols, T{0});
    for (int64_t t = begin; t < end; ++t) {
      const Kept* value = values.row(seen_row(a, t));
      for (int64_t f = 0; f < out.cols; ++f) out.row(w)[f] += weights[t] * convert<T>(value[f]);
    }
  }
}

template <class T>
void d_additive_attention(const AdditiveAttentionGradient& g) {
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
}

}  // namespace weft::kernels::ref

#endif  // WEFT_KERNELS_REF_ADDITIVE_ATTENTION_H_
