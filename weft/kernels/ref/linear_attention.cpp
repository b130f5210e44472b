#include "weft/kernels/linear_attention.h"

#include <vector>

#include "weft/kernels/ref/elements.h"

namespace weft::kernels::ref {
// Computed pair by pair, without the reassociation that makes it linear.
namespace {

// Calls body(query row, head, first key row, number of attended keys).
template <class Body>
void for_each_query(const LinearAttention& a, Body&& body) {
  for (size_t b = 0; b + 1 < a.q_offsets.size(); ++b) {
    const int64_t begin = a.q_offsets[b], keys = a.k_offsets[b + 1] - a.k_offsets[b];
    for (int64_t i = begin; i < a.q_offsets[b + 1]; ++i) {
      const int64_t seen = a.causal ? std::min(keys, i - begin + 1) : keys;
      for (int64_t h = 0; h < a.heads; ++h) body(i, h, int64_t{a.k_offsets[b]}, seen);
    }
  }
}

}  // namespace

void run(const LinearAttention& a) {
  visit(a.kName, a.q, [&]<class T>(T) {
    const auto q = a.q.as<T>(), k = a.k.as<T>(), v = a.v.as<T>(), out = a.out.as<T>();
    const int64_t size = q.cols / a.heads, value_size = v.cols / a.heads;
    for_each_query(a, [&](int64_t i, int64_t h, int64_t first, int64_t seen) {
      T* y = out.row(i) + h * value_size;
      std::fill(y, y + value_size, T{0});
      T divisor = a.by_weight ? T{0} : static_cast<T>(seen);
      for (int64_t j = first; j < first + seen; ++j) {
        const T weight = dot(q.row(i) + h * size, k.row(j) + h * size, size);
        if (a.by_weight) divisor += weight;
        const T* value = v.row(j) + h * value_size;
        for (int64_t f = 0; f < value_size; ++f) y[f] += weight * value[f];
      }
      for (int64_t f = 0; seen > 0 && f < value_size; ++f) y[f] /= divisor;
      a.divisors.as<T>().row(i)[h] = divisor;
    });
  });
}

void run(const LinearAttentionBackward& g) {
  visit(g.kName, g.forward.q, [&]<class T>(T) {
    const LinearAttention& a = g.forward;
    const auto q = a.q.as<T>(), k = a.k.as<T>(), v = a.v.as<T>(), out = a.out.as<T>();
    const auto d_out = g.d_out.as<T>(), d_q = g.d_q.as<T>(), d_k = g.d_k.as<T>(),
               d_v = g.d_v.as<T>();
    const int64_t size = q.cols / a.heads, value_size = v.cols / a.heads;
    fill(d_q, 0);
    fill(d_k, 0);
    fill(d_v, 0);
    for_each_query(a, [&](int64_t i, int64_t h, int64_t first, int64_t seen) {
      const T* d_y = d_out.row(i) + h * value_size;
      const T divisor = a.divisors.as<T>().row(i)[h];
      const T drift = a.by_weight ? dot(out.row(i) + h * value_size, d_y, value_size) : T{0};
      for (int64_t j = first; j < first + seen; ++j) {
        const T weight = dot(q.row(i) + h * size, k.row(j) + h * size, size);
        const T d_weight = (dot(d_y, v.row(j) + h * value_size, value_size) - drift) / divisor;
        for (int64_t f = h * size; f < (h + 1) * size; ++f) {
          d_q.row(i)[f] += d_weight * k.row(j)[f];
          d_k.row(j)[f] += d_weight * q.row(i)[f];
        }
        for (int64_t f = 0; f < value_size; ++f) {
          d_v.row(j)[h * value_size + f] += weight / divisor * d_y[f];
        }
      }
    });
  });
}

void run(const LinearAttentionStep& s) {
  visit(s.kName, s.q, [&]<class T>(T) {
    const auto q = s.q.as<T>(), k = s.k.as<T>(), v = s.v.as<T>(), out = s.out.as<T>();
    const int64_t size = q.cols / s.heads, value_size = v.cols / s.heads, width = value_size + 1;
    for (int64_t w = 0; w < q.rows; ++w) {
      for (int64_t h = 0; h < s.heads; ++h) {
        T* sums = s.state.as<T>().row(w) + h * size * width;
        std::vector<T> y(static_cast<size_t>(width));
        for (int64_t f = 0; f < size; ++f) {
          const T key = k.row(w)[h * size + f], query = q.row(w)[h * size + f];
          for (int64_t c = 0; c < width; ++c) {
            T& sum = sums[f * width + c];
            sum += key * (c < value_size ? v.row(w)[h * value_size + c] : T{1});
            y[c] += query * sum;
          }
        }
        const T divisor = s.by_weight ? y[value_size] : static_cast<T>(s.position[w] + 1);
        for (int64_t c = 0; c < value_size; ++c) out.row(w)[h * value_size + c] = y[c] / divisor;
      }
    }
  });
}

}  // namespace weft::kernels::ref
