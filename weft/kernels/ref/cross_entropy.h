// Reference losses of logits against label-smoothed targets.
#ifndef WEFT_KERNELS_REF_CROSS_ENTROPY_H_
#define WEFT_KERNELS_REF_CROSS_ENTROPY_H_

#include <cmath>
#include <vector>

#include "weft/kernels/backend.h"
#include "weft/kernels/ref/softmax.h"

namespace weft::kernels::ref {

// -sum t log t of a label-smoothed target over so many classes.
inline double target_entropy(double smoothing, int64_t classes) {
  const auto term = [](double t) { return t > 0 ? -t * std::log(t) : 0; };
  const double rest = smoothing / static_cast<double>(classes);
  return term(1 - smoothing + rest) + static_cast<double>(classes - 1) * term(rest);
}

// |p - t| or its square, and, where d_x is not null, weight times its gradient:
//   d_x = p (g - sum p g) with g = (p - t) / |p - t|, or 2 (p - t).
template <class T>
T distance(bool is_squared, const std::vector<T>& p, const std::vector<T>& t, T weight, T* d_x) {
  T squares = 0, dot = 0;
  for (size_t f = 0; f < p.size(); ++f) {
    squares += (p[f] - t[f]) * (p[f] - t[f]);
    dot += p[f] * (p[f] - t[f]);
  }
  const T loss = is_squared ? squares : std::sqrt(squares);
  const T factor = is_squared ? T{2} : loss > 0 ? 1 / loss : T{0};
  for (size_t f = 0; d_x && f < p.size(); ++f) {
    d_x[f] = weight * factor * p[f] * (p[f] - t[f] - dot);
  }
  return loss;
}

template <class T>
void cross_entropy(const SoftmaxLoss& c) {
  const auto x = c.x.as<T>(), d_x = c.d_x.as<T>();
  const T rest = static_cast<T>(c.smoothing) / static_cast<T>(x.cols);
  const T hit = 1 - static_cast<T>(c.smoothing);
  const bool is_squared = c.kind == LossKind::kSquaredEuclidean;
  std::vector<T> p(static_cast<size_t>(x.cols)), t(p.size());
  for (int64_t n = 0; n < x.rows; ++n) {
    const T weight = static_cast<T>(c.weight) * (c.row_weights ? c.row_weights[n] : T{1});
    const T normaliser = log_sum_exp(x.row(n), x.cols);
    T sum = 0;
    for (int64_t f = 0; f < x.cols; ++f) {
      sum += normaliser - x.row(n)[f];
      p[f] = std::exp(x.row(n)[f] - normaliser);
      t[f] = rest + (f == c.targets[n] ? hit : T{0});
    }
    const T nll = normaliser - x.row(n)[c.targets[n]];
    c.nll[n] = nll;
    T* d_row = d_x.data ? d_x.row(n) : nullptr;
    if (is_squared || c.kind == LossKind::kEuclidean) {
      c.loss[n] = distance(is_squared, p, t, weight, d_row);
      continue;
    }
    c.loss[n] = hit * nll + rest * sum;
    if (c.kind == LossKind::kKl) c.loss[n] -= target_entropy(c.smoothing, x.cols);
    for (int64_t f = 0; d_row && f < x.cols; ++f) d_row[f] = weight * (p[f] - t[f]);
  }
}

}  // namespace weft::kernels::ref

#endif  // WEFT_KERNELS_REF_CROSS_ENTROPY_H_
