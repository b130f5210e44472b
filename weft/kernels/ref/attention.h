// Reference attention: whole rows of weights, one query at a time.
#ifndef WEFT_KERNELS_REF_ATTENTION_H_
#define WEFT_KERNELS_REF_ATTENTION_H_

#include <vector>

#include "weft/kernels/backend.h"
#include "weft/kernels/ref/dropout.h"
#include "weft/kernels/ref/elementwise.h"
#include "weft/kernels/ref/softmax.h"

namespace weft::kernels::ref {

template <class T>
T dot(const T* x, const T* y, int64_t n) {
  T sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

// One query row of one head: which keys it sees.
struct AttentionRow {
  int64_t query, head, key_begin, key_count;
};

// Calls body(row) for every query and head; rows of a sentence without keys have key_count 0.
template <class Body>
void for_each_row(const Attention& a, Body&& body) {
  for (size_t b = 0; b + 1 < a.q_offsets.size(); ++b) {
    const int64_t begin = a.q_offsets[b], keys = a.k_offsets[b + 1] - a.k_offsets[b];
    for (int64_t i = begin; i < a.q_offsets[b + 1]; ++i) {
      const int64_t seen = a.causal ? std::min<int64_t>(keys, i - begin + 1) : keys;
      for (int64_t h = 0; h < a.heads; ++h) body(AttentionRow{i, h, a.k_offsets[b], seen});
    }
  }
}

template <class T>
std::vector<T> scores(const Attention& a, const AttentionRow& r) {
  const auto q = a.q.as<T>(), k = a.k.as<T>();
  const int64_t size = q.cols / a.heads;
  std::vector<T> s(r.key_count);
  for (int64_t j = 0; j < r.key_count; ++j) {
    s[j] = static_cast<T>(a.scale) *
           dot(q.row(r.query) + r.head * size, k.row(r.key_begin + j) + r.head * size, size);
  }
  return s;
}

inline Dropout dropout_of_head(const Attention& a, int64_t head) {
  Dropout d = a.dropout;
  d.site += static_cast<uint32_t>(head);
  return d;
}

template <class T>
void attention(const Attention& a) {
  const auto v = a.v.as<T>(), out = a.out.as<T>(), lse = a.lse.as<T>();
  const int64_t size = v.cols / a.heads;
  for_each_row(a, [&](const AttentionRow& r) {
    const std::vector<T> s = scores<T>(a, r);
    T* y = out.row(r.query) + r.head * size;
    std::fill(y, y + size, T{0});
    const T normaliser =
        s.empty() ? -std::numeric_limits<T>::infinity() : log_sum_exp(s.data(), r.key_count);
    if (lse.data) lse.row(r.query)[r.head] = normaliser;
    const Dropout d = dropout_of_head(a, r.head);
    for (int64_t j = 0; j < r.key_count; ++j) {
      const T weight = std::exp(s[j] - normaliser) * dropout_factor<T>(d, r.query, j);
      const T* value = v.row(r.key_begin + j) + r.head * size;
      for (int64_t f = 0; f < size; ++f) y[f] += weight * value[f];
    }
  });
}

// With p the weights, m the dropout factors and e_j = m_j d_out.v_j:
//   d_v_j += m_j p_j d_out, d_s_j = p_j (e_j - sum_i p_i e_i),
//   d_q += scale d_s_j k_j, d_k_j += scale d_s_j q.
template <class T>
void d_attention_row(const AttentionGradient& g, const AttentionRow& r) {
  const Attention& a = g.forward;
  const int64_t size = a.q.cols / a.heads, value_size = a.v.cols / a.heads;
  const int64_t at = r.head * size, value_at = r.head * value_size;
  const T* d_out = g.d_out.as<T>().row(r.query) + value_at;
  const T* q = a.q.as<T>().row(r.query) + at;
  T* d_q = g.d_q.as<T>().row(r.query) + at;
  const T normaliser = a.lse.as<T>().row(r.query)[r.head];
  const Dropout d = dropout_of_head(a, r.head);

  std::vector<T> p = scores<T>(a, r), e(r.key_count);
  T mean = 0;
  for (int64_t j = 0; j < r.key_count; ++j) {
    const T factor = dropout_factor<T>(d, r.query, j);
    p[j] = std::exp(p[j] - normaliser);
    e[j] = factor * dot(d_out, a.v.as<T>().row(r.key_begin + j) + value_at, value_size);
    mean += p[j] * e[j];
    T* d_v = g.d_v.as<T>().row(r.key_begin + j) + value_at;
    for (int64_t f = 0; f < value_size; ++f) d_v[f] += factor * p[j] * d_out[f];
  }
  for (int64_t j = 0; j < r.key_count; ++j) {
    const T d_s = static_cast<T>(a.scale) * p[j] * (e[j] - mean);
    const T* k = a.k.as<T>().row(r.key_begin + j) + at;
    T* d_k = g.d_k.as<T>().row(r.key_begin + j) + at;
    for (int64_t f = 0; f < size; ++f) d_q[f] += d_s * k[f];
    for (int64_t f = 0; f < size; ++f) d_k[f] += d_s * q[f];
  }
}

template <class T>
void d_attention(const AttentionGradient& g) {
  fill(g.d_q.as<T>(), 0);
  fill(g.d_k.as<T>(), 0);
  fill(g.d_v.as<T>(), 0);
  for_each_row(g.forward, [&](const AttentionRow& r) { d_attention_row<T>(g, r); });
}

// `Kept` is the type of the cached keys and values.
template <class T, class Kept>
void cached_attention(const CachedAttention& a) {
  const auto q = a.q.as<T>(), out = a.out.as<T>();
  const auto keys = a.keys.as<Kept>(), values = a.values.as<Kept>();
  const int64_t size = q.cols / a.heads, value_size = out.cols / a.heads;
  const auto number = [](Kept x) {
    if constexpr (std::is_same_v<Kept, BF16>) return static_cast<T>(static_cast<float>(x));
    if constexpr (!std::is_same_v<Kept, BF16>) return static_cast<T>(x);
  };
  if (a.weights != nullptr) std::fill(a.weights, a.weights + a.offsets[q.rows], 0.0f);
  for (int64_t w = 0; w < q.rows; ++w) {
    const int32_t* seen = a.rows.data() + a.offsets[w];
    const int64_t length = a.offsets[w + 1] - a.offsets[w];
    std::vector<T> weights(static_cast<size_t>(length));
    for (int64_t h = 0; h < a.heads; ++h) {
      for (int64_t t = 0; t < length; ++t) {
        T score = 0;
        for (int64_t f = h * size; f < (h + 1) * size; ++f) {
          score += q.row(w)[f] * number(keys.row(seen[t])[f]);
        }
        weights[t] = static_cast<T>(a.scale) * score;
      }
      const Matrix<T> row{weights.data(), 1, length, length};
      softmax(row, row);
      T* y = out.row(w) + h * value_size;
      std::fill(y, y + value_size, T{0});
      for (int64_t t = 0; t < length; ++t) {
        const Kept* value = values.row(seen[t]) + h * value_size;
        for (int64_t f = 0; f < value_size; ++f) y[f] += weights[t] * number(value[f]);
        if (a.weights == nullptr) continue;
        a.weights[a.offsets[w] + t] += static_cast<float>(weights[t] / static_cast<T>(a.heads));
      }
    }
  }
}

}  // namespace weft::kernels::ref

#endif  // WEFT_KERNELS_REF_ATTENTION_H_
