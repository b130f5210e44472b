#include "weft/kernels/softmax.h"

#include <vector>

#include "weft/kernels/ref/elements.h"

namespace weft::kernels::ref {

void run(const Softmax& k) {
  visit(k.kName, k.x, [&]<class T>(T) {
    const auto x = k.x.as<T>(), y = k.y.as<T>();
    for (int64_t n = 0; n < x.rows && x.cols > 0; ++n) {
      const T top = *std::max_element(x.row(n), x.row(n) + x.cols);
      T sum = 0;
      for (int64_t f = 0; f < x.cols; ++f) sum += y.row(n)[f] = std::exp(x.row(n)[f] - top);
      for (int64_t f = 0; f < x.cols; ++f) y.row(n)[f] /= sum;
    }
  });
}

void run(const SoftmaxBackward& k) {
  visit(k.kName, k.y, [&]<class T>(T) {
    const auto y = k.y.as<T>(), d_y = k.d_y.as<T>(), d_x = k.d_x.as<T>();
    for (int64_t n = 0; n < y.rows; ++n) {
      const T sum = dot(y.row(n), d_y.row(n), y.cols);
      for (int64_t f = 0; f < y.cols; ++f) d_x.row(n)[f] = y.row(n)[f] * (d_y.row(n)[f] - sum);
    }
  });
}

void run(const LogSoftmax& k) {
  visit(k.kName, k.x, [&]<class T>(T) {
    const auto x = k.x.as<T>(), y = k.y.as<T>();
    for (int64_t n = 0; n < x.rows && x.cols > 0; ++n) {
      const T normaliser = log_sum_exp(x.row(n), x.cols);
      for (int64_t f = 0; f < x.cols; ++f) y.row(n)[f] = x.row(n)[f] - normaliser;
    }
  });
}

void run(const LogSoftmaxBackward& k) {
  visit(k.kName, k.y, [&]<class T>(T) {
    const auto y = k.y.as<T>(), d_y = k.d_y.as<T>(), d_x = k.d_x.as<T>();
    for (int64_t n = 0; n < y.rows; ++n) {
      T sum = 0;
      for (int64_t f = 0; f < y.cols; ++f) sum += d_y.row(n)[f];
      for (int64_t f = 0; f < y.cols; ++f) {
        d_x.row(n)[f] = d_y.row(n)[f] - std::exp(y.row(n)[f]) * sum;
      }
    }
  });
}

namespace {

// The logarithms of the row and column factors of `steps` rounds: round s has the m row factors at
// 2 s m, followed by the m column factors.
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

// For one matrix: x and y [m, m].
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

}  // namespace

void run(const Sinkhorn& k) {
  visit(k.kName, k.x, [&]<class T>(T) {
    const int64_t m = k.x.cols;
    for (int64_t i = 0; i < k.x.rows; i += m) {
      sinkhorn(k.steps, k.x.as<T>().range(i, i + m), k.y.as<T>().range(i, i + m));
    }
  });
}

void run(const SinkhornBackward& k) {
  visit(k.kName, k.x, [&]<class T>(T) {
    const int64_t m = k.x.cols;
    for (int64_t i = 0; i < k.x.rows; i += m) {
      d_sinkhorn(k.steps, k.x.as<T>().range(i, i + m), k.d_y.as<T>().range(i, i + m),
                 k.d_x.as<T>().range(i, i + m));
    }
  });
}

}  // namespace weft::kernels::ref
