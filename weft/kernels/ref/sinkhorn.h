// Reference Sinkhorn normalisation and its gradient.
#ifndef WEFT_KERNELS_REF_SINKHORN_H_
#define WEFT_KERNELS_REF_SINKHORN_H_

#include <cmath>
#include <vector>

#include "weft/kernels/ref/softmax.h"

namespace weft::kernels::ref {

// Logarithms of what `steps` rounds multiply rows by, then columns: round s has those of the m rows
// of x at 2 s m, and those of the columns behind them.
template <class T>
std::vector<T> sinkhorn_factors(int64_t steps, Matrix<T> x) {
  const int64_t m = x.cols;
  std::vector<T> factors(static_cast<size_t>(2 * steps * m));
  std::vector<T> terms(static_cast<size_t>(m)), none(terms);
  const T* columns = none.data();
  for (int64_t s = 0; s < steps; ++s) {
    T* const rows = factors.data() + 2 * s * m;
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < m; ++j) terms[j] = x.row(i)[j] + columns[j];
      rows[i] = -log_sum_exp(terms.data(), m);
    }
    columns = rows + m;
    for (int64_t j = 0; j < m; ++j) {
      for (int64_t i = 0; i < m; ++i) terms[i] = x.row(i)[j] + rows[i];
      rows[m + j] = -log_sum_exp(terms.data(), m);
    }
  }
  return factors;
}

// One matrix: x and y [m, m].
template <class T>
void sinkhorn(int64_t steps, Matrix<T> x, Matrix<T> y) {
  const int64_t m = x.cols;
  const std::vector<T> factors = sinkhorn_factors(steps, x);
  const T* const rows = factors.data() + 2 * (steps - 1) * m;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < m; ++j) y.row(i)[j] = std::exp(x.row(i)[j] + rows[i] + rows[m + j]);
  }
}

template <class T>
void d_sinkhorn(int64_t steps, Matrix<T> x, Matrix<T> d_y, Matrix<T> d_x) {
  const int64_t m = x.cols;
  const std::vector<T> factors = sinkhorn_factors(steps, x);
  std::vector<T> d_rows(static_cast<size_t>(m)), d_columns(d_rows), none(d_rows);
  sinkhorn(steps, x, d_x);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < m; ++j) {
      const T d = d_x.row(i)[j] *= d_y.row(i)[j];
      d_rows[i] += d;
      d_columns[j] += d;
    }
  }
  for (int64_t s = steps; s-- > 0;) {
    const T* const rows = factors.data() + 2 * s * m;
    const T* const columns = rows + m;
    const T* const before = s == 0 ? none.data() : rows - m;
    // columns[j] = -log sum_i exp(x_ij + rows[i])
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < m; ++j) {
        const T d = d_columns[j] * std::exp(x.row(i)[j] + rows[i] + columns[j]);
        d_x.row(i)[j] -= d;
        d_rows[i] -= d;
      }
    }
    // rows[i] = -log sum_j exp(x_ij + before[j])
    std::fill(d_columns.begin(), d_columns.end(), T{0});
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < m; ++j) {
        const T d = d_rows[i] * std::exp(x.row(i)[j] + rows[i] + before[j]);
        d_x.row(i)[j] -= d;
        d_columns[j] -= d;
      }
    }
    std::fill(d_rows.begin(), d_rows.end(), T{0});
  }
}

}  // namespace weft::kernels::ref

#endif  // WEFT_KERNELS_REF_SINKHORN_H_
