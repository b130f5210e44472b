// Reference attention: whole rows of weights, one query at a time.
#ifndef WEFT_KERNELS_REF_ATTENTION_H_
#define WEFT_KERNELS_REF_ATTENTION_H_

#include <algorithm>
#include <limits>
#include <vector>

#include "weft/kernels/backend.h"
#include "weft/kernels/ref/dropout.h"
#include "weft/kernels/ref/elementwise.h"
#include "weft/kernels/ref/score_function.h"

namespace weft::kernels::ref {

template <class T>
T dot(const T* x, const T* y, int64_t n) {
  T sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

// One query row of one head, the keys of its sentence and the head of them that it reads.
struct AttentionRow {
  int64_t query, position, head, key_head, key_begin, key_count;
};

// Calls body(row) for every query and head.
template <class Body>
void for_each_row(const Attention& a, Body&& body) {
  for (size_t b = 0; b + 1 < a.q_offsets.size(); ++b) {
    const int64_t begin = a.q_offsets[b], keys = a.k_offsets[b + 1] - a.k_offsets[b];
    for (int64_t i = begin; i < a.q_offsets[b + 1]; ++i) {
      const int64_t position = a.q_position ? a.q_position[i] : i - begin;
      for (int64_t h = 0; h < a.heads; ++h) {
        body(AttentionRow{i, position, h, a.key_head_of(h), a.k_offsets[b], keys});
      }
    }
  }
}

// The bias of a head at distance key - query.
template <class T>
T score_bias(const ScoreBias& bias, int64_t head, int64_t distance) {
  T sum = 0;
  if (!bias.slopes.empty()) sum -= static_cast<T>(bias.slopes[head]) * std::abs(distance);
  if (bias.table) {
    const int64_t most = bias.table.rows / 2;
    sum += bias.table.as<T>().row(std::clamp(distance, -most, most) + most)[head];
  }
  return sum;
}

// -inf where a key is not seen.
template <class T>
std::vector<T> scores(const Attention& a, const AttentionRow& r) {
  const auto q = a.q.as<T>(), k = a.k.as<T>();
  const int64_t size = q.cols / a.heads;
  std::vector<T> s(r.key_count, -std::numeric_limits<T>::infinity());
  for (int64_t j = 0; j < r.key_count; ++j) {
    const int64_t position = a.k_position ? a.k_position[r.key_begin + j] : j;
    if ((a.causal && position > r.position) || !a.reach.sees(r.position, position)) continue;
    s[j] = static_cast<T>(a.scale) * dot(q.row(r.query) + r.head * size,
                                         k.row(r.key_begin + j) + r.key_head * size, size) +
           score_bias<T>(a.bias, r.head, position - r.position);
  }
  return s;
}

template <class T>
void attention(const Attention& a) {
  const auto v = a.v.as<T>(), out = a.out.as<T>(), lse = a.lse.as<T>();
  const int64_t size = out.cols / a.heads;
  for_each_row(a, [&](const AttentionRow& r) {
    std::vector<T> p = scores<T>(a, r);
    T* y = out.row(r.query) + r.head * size;
    std::fill(y, y + size, T{0});
    const T kept = weigh(a.function, std::span(p));
    if (lse.data) lse.row(r.query)[r.head] = kept;
    const Dropout d = a.dropout_of(r.head);
    for (int64_t j = 0; j < r.key_count; ++j) {
      if (p[j] == 0) continue;
      const T weight = p[j] * dropout_factor<T>(d, r.query, j);
      const T* value = v.row(r.key_begin + j) + r.key_head * size;
      for (int64_t f = 0; f < size; ++f) y[f] += weight * value[f];
    }
  });
}

template <class T>
void add_to_table(const AttentionGradient& g, const AttentionRow& r, int64_t key, T d_s) {
  if (!g.d_table) return;
  const Attention& a = g.forward;
  const int64_t most = g.d_table.rows / 2;
  const int64_t position = a.k_position ? a.k_position[r.key_begin + key] : key;
  const int64_t distance = std::clamp(position - r.position, -most, most);
  g.d_table.as<T>().row(distance + most)[r.head] += d_s;
}

// With p the weights, m the dropout factors and e_j = m_j d_out.v_j:
//   d_v_j += m_j p_j d_out, d_s = d_weigh(p, e), d_q += scale d_s_j k_j, d_k_j += scale d_s_j q.
template <class T>
void d_attention_row(const AttentionGradient& g, const AttentionRow& r) {
  const Attention& a = g.forward;
  const int64_t size = a.q.cols / a.heads, value_size = a.out.cols / a.heads;
  const int64_t at = r.key_head * size, value_at = r.key_head * value_size;
  const T* d_out = g.d_out.as<T>().row(r.query) + r.head * value_size;
  const T* q = a.q.as<T>().row(r.query) + r.head * size;
  T* d_q = g.d_q.as<T>().row(r.query) + r.head * size;
  const Dropout d = a.dropout_of(r.head);

  std::vector<T> p = scores<T>(a, r), d_s(r.key_count);
  const std::vector<T> s = p;
  const int64_t seen = seen_keys(std::span<const T>(p));
  weigh(a.function, std::span(p));
  const auto is_seen = [&](int64_t j) { return s[j] > -std::numeric_limits<T>::infinity(); };
  for (int64_t j = 0; j < r.key_count; ++j) {
    if (!is_seen(j)) continue;
    const T factor = dropout_factor<T>(d, r.query, j);
    d_s[j] = factor * dot(d_out, a.v.as<T>().row(r.key_begin + j) + value_at, value_size);
    T* d_v = g.d_v.as<T>().row(r.key_begin + j) + value_at;
    for (int64_t f = 0; f < value_size; ++f) d_v[f] += factor * p[j] * d_out[f];
  }
  d_weigh(a.function, std::span<const T>(p), seen, std::span(d_s));
  for (int64_t j = 0; j < r.key_count; ++j) {
    if (!is_seen(j)) continue;
    add_to_table(g, r, j, d_s[j]);
    const T slope = static_cast<T>(a.scale) * d_s[j];
    const T* k = a.k.as<T>().row(r.key_begin + j) + at;
    T* d_k = g.d_k.as<T>().row(r.key_begin + j) + at;
    for (int64_t f = 0; f < size; ++f) d_q[f] += slope * k[f];
    for (int64_t f = 0; f < size; ++f) d_k[f] += slope * q[f];
  }
}

template <class T>
void d_attention(const AttentionGradient& g) {
  fill(g.d_q.as<T>(), 0);
  fill(g.d_k.as<T>(), 0);
  fill(g.d_v.as<T>(), 0);
  for_each_row(g.forward, [&](const AttentionRow& r) { d_attention_row<T>(g, r); });
}

// From the scaled products of row w to weights, by reach and bias.
template <class T>
void finish_cached(const CachedAttention& a, int64_t w, int64_t head, std::span<T> s) {
  const int64_t own = a.position ? a.position[w] : std::ssize(s) - 1;
  for (int64_t t = 0; t < std::ssize(s); ++t) {
    s[t] = a.reach.sees(own, t) ? s[t] + score_bias<T>(a.bias, head, t - own)
                                : -std::numeric_limits<T>::infinity();
  }
  weigh(a.function, s);
}

// `Kept` is the type of the cached keys and values.
template <class T, class Kept>
void cached_attention(const CachedAttention& a) {
  const auto q = a.q.as<T>(), out = a.out.as<T>();
  const auto keys = a.keys.as<Kept>(), values = a.values.as<Kept>();
  const int64_t size = q.cols / a.heads, value_size = out.cols / a.heads;
  if (a.weights != nullptr) std::fill(a.weights, a.weights + a.offsets[q.rows], 0.0f);
  for (int64_t w = 0; w < q.rows; ++w) {
    const int32_t* seen = a.rows.data() + a.offsets[w];
    const int64_t length = a.offsets[w + 1] - a.offsets[w];
    std::vector<T> weights(static_cast<size_t>(length));
    for (int64_t h = 0; h < a.heads; ++h) {
      const int64_t group = a.key_head_of(h);
      for (int64_t t = 0; t < length; ++t) {
        T score = 0;
        for (int64_t f = 0; f < size; ++f) {
          score += q.row(w)[h * size + f] * convert<T>(keys.row(seen[t])[group * size + f]);
        }
        weights[t] = static_cast<T>(a.scale) * score;
      }
      finish_cached(a, w, h, std::span(weights));
      T* y = out.row(w) + h * value_size;
      std::fill(y, y + value_size, T{0});
      for (int64_t t = 0; t < length; ++t) {
        const Kept* value = values.row(seen[t]) + group * value_size;
        for (int64_t f = 0; f < value_size; ++f) y[f] += weights[t] * convert<T>(value[f]);
        if (a.weights == nullptr) continue;
        a.weights[a.offsets[w] + t] += static_cast<float>(weights[t] / static_cast<T>(a.heads));
      }
    }
  }
}

}  // namespace weft::kernels::ref

#endif  // WEFT_KERNELS_REF_ATTENTION_H_
