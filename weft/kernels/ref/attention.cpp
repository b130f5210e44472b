#include "weft/kernels/attention.h"

#include <limits>
#include <vector>

#include "weft/kernels/ref/elements.h"
#include "weft/kernels/ref/score_function.h"

namespace weft::kernels::ref {
// Computes complete rows of probabilities, one query at a time.
namespace {

template <class T>
void add_to_table(const AttentionBackward& g, const AttentionRow& r, int64_t key, T d_s) {
  if (!g.d_table) return;
  const Attention& a = g.forward;
  const int64_t max_distance = g.d_table.rows / 2;
  const int64_t position = a.k_position ? a.k_position[r.key_begin + key] : key;
  const int64_t distance = std::clamp(position - r.position, -max_distance, max_distance);
  g.d_table.as<T>().row(distance + max_distance)[r.head] += d_s;
}

// With p the weights, m the dropout factors and e_j = m_j d_out.v_j:
//   d_v_j += m_j p_j d_out, d_s = d_to_probabilities(p, e), d_q += scale d_s_j k_j, d_k_j += scale
//   d_s_j q,
// where a soft cap multiplies d_s_j by 1 - tanh^2 before the last two.
template <class T>
void d_attention_row(const AttentionBackward& g, const AttentionRow& r) {
  const Attention& a = g.forward;
  const int64_t size = a.q.cols / a.heads, value_size = a.out.cols / a.heads;
  const int64_t key_col = r.key_head * size, value_col = r.key_head * value_size;
  const T* d_out = g.d_out.as<T>().row(r.query) + r.head * value_size;
  const T* q = a.q.as<T>().row(r.query) + r.head * size;
  T* d_q = g.d_q.as<T>().row(r.query) + r.head * size;
  const DropoutMask d = a.dropout_of(r.head);

  std::vector<T> p = scores<T>(a, r), d_s(r.key_count);
  const std::vector<T> s = p;
  const int64_t attended = attended_keys(std::span<const T>(p));
  to_probabilities(a.function, std::span(p));
  const auto is_attended = [&](int64_t j) { return s[j] > -std::numeric_limits<T>::infinity(); };
  for (int64_t j = 0; j < r.key_count; ++j) {
    if (!is_attended(j)) continue;
    const T factor = static_cast<T>(d.factor_at(r.query, j));
    d_s[j] = factor * dot(d_out, a.v.as<T>().row(r.key_begin + j) + value_col, value_size);
    T* d_v = g.d_v.as<T>().row(r.key_begin + j) + value_col;
    for (int64_t f = 0; f < value_size; ++f) d_v[f] += factor * p[j] * d_out[f];
  }
  d_to_probabilities(a.function, std::span<const T>(p), attended, std::span(d_s));
  for (int64_t j = 0; j < r.key_count; ++j) {
    if (!is_attended(j)) continue;
    add_to_table(g, r, j, d_s[j]);
    const T bounded =
        a.soft_cap == 0 ? T{0} : capped_score<T>(a, r, j) / static_cast<T>(a.soft_cap);
    const T slope = static_cast<T>(a.scale) * d_s[j] * (1 - bounded * bounded);
    const T* k = a.k.as<T>().row(r.key_begin + j) + key_col;
    T* d_k = g.d_k.as<T>().row(r.key_begin + j) + key_col;
    for (int64_t f = 0; f < size; ++f) d_q[f] += slope * k[f];
    for (int64_t f = 0; f < size; ++f) d_k[f] += slope * q[f];
  }
}

// The columns of one key head in cached rows of type `Cached`.
template <class T, class Cached>
struct CachedHead {
  const PagedRows& rows;
  int64_t head, size, heads;

  // Calls body(f, x) for each number x of a row.
  template <class Body>
  void each(int64_t row, Body body) const {
    const Cached* x = rows.row<Cached>(row);
    T scale = 1;
    if constexpr (std::is_same_v<Cached, int8_t>) {
      scale = static_cast<T>(PagedRows::scale_of(x, heads * size, head));
    }
    for (int64_t f = 0; f < size; ++f) body(f, scale * convert<T>(x[head * size + f]));
  }
};

template <class T, class Cached>
void cached_attention(const CachedAttention& a) {
  const auto q = a.q.as<T>(), out = a.out.as<T>();
  const int64_t size = q.cols / a.heads, value_size = out.cols / a.heads;
  const int64_t groups = a.groups();
  const auto head_count = static_cast<T>(a.end_head() - a.first_head());
  for (int64_t w = 0; w < q.rows; ++w) {
    const std::span<const int32_t> rows = a.rows[w];
    const auto length = std::ssize(rows);
    float* const mean = a.weights.empty() ? nullptr : a.weights[w];
    if (mean != nullptr) std::fill_n(mean, length, 0.0f);
    std::vector<T> weights(rows.size());
    for (int64_t h = a.first_head(); h < a.end_head(); ++h) {
      const CachedHead<T, Cached> keys{a.keys, a.key_head_of(h), size, groups};
      const CachedHead<T, Cached> values{a.values, a.key_head_of(h), value_size, groups};
      for (int64_t t = 0; t < length; ++t) {
        T score = 0;
        keys.each(rows[t], [&](int64_t f, T x) { score += q.row(w)[h * size + f] * x; });
        weights[t] = static_cast<T>(a.scale) * score;
      }
      finish_cached(a, w, h, std::span(weights));
      T* y = out.row(w) + h * value_size;
      std::fill(y, y + value_size, T{0});
      for (int64_t t = 0; t < length; ++t) {
        values.each(rows[t], [&](int64_t f, T x) { y[f] += weights[t] * x; });
        if (mean != nullptr) mean[t] += static_cast<float>(weights[t] / head_count);
      }
    }
  }
}

}  // namespace

void run(const Attention& a) {
  visit(a.kName, a.q, [&]<class T>(T) {
    const auto v = a.v.as<T>(), out = a.out.as<T>(), lse = a.lse.as<T>();
    const int64_t size = out.cols / a.heads;
    for_each_row(a, [&](const AttentionRow& r) {
      std::vector<T> p = scores<T>(a, r);
      T* y = out.row(r.query) + r.head * size;
      std::fill(y, y + size, T{0});
      const T kept = to_probabilities(a.function, std::span(p));
      if (lse.data) lse.row(r.query)[r.head] = kept;
      const DropoutMask d = a.dropout_of(r.head);
      for (int64_t j = 0; j < r.key_count; ++j) {
        if (p[j] == 0) continue;
        const T weight = p[j] * static_cast<T>(d.factor_at(r.query, j));
        const T* value = v.row(r.key_begin + j) + r.key_head * size;
        for (int64_t f = 0; f < size; ++f) y[f] += weight * value[f];
      }
    });
  });
}

void run(const AttentionBackward& g) {
  visit(g.kName, g.forward.q, [&]<class T>(T) {
    fill(g.d_q.as<T>(), 0);
    fill(g.d_k.as<T>(), 0);
    fill(g.d_v.as<T>(), 0);
    for_each_row(g.forward, [&](const AttentionRow& r) { d_attention_row<T>(g, r); });
  });
}

void run(const CachedAttention& a) {
  visit(a.kName, a.q, [&]<class T>(T) {
    switch (a.keys.dtype()) {
      case DType::kBF16: return cached_attention<T, BF16>(a);
      case DType::kI8: return cached_attention<T, int8_t>(a);
      default: return cached_attention<T, T>(a);
    }
  });
}

}  // namespace weft::kernels::ref
