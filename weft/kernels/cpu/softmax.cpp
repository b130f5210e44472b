#include "weft/kernels/softmax.h"

#include <cmath>
#include <limits>
#include <vector>

#include "weft/kernels/cpu/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/softmax.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

void softmax_row(const float* x, float* y, int64_t n) {
  const float top = max_of(x, n);
  const float sum = sum_over(n, [=](auto d, int64_t i) HWY_ATTR {
    const auto e = exp(d, hn::Sub(hn::LoadU(d, x + i), hn::Set(d, top)));
    hn::StoreU(e, d, y + i);
    return e;
  });
  const float inverse = 1 / sum;
  for_lanes(n, [=](auto d, int64_t i) HWY_ATTR {
    hn::StoreU(hn::Mul(hn::LoadU(d, y + i), hn::Set(d, inverse)), d, y + i);
  });
}

void d_softmax_row(const float* y, const float* d_y, float* d_x, int64_t n) {
  const float dot = sum_over(n, [=](auto d, int64_t i) HWY_ATTR {
    return hn::Mul(hn::LoadU(d, y + i), hn::LoadU(d, d_y + i));
  });
  for_lanes(n, [=](auto d, int64_t i) HWY_ATTR {
    const auto centred = hn::Sub(hn::LoadU(d, d_y + i), hn::Set(d, dot));
    hn::StoreU(hn::Mul(hn::LoadU(d, y + i), centred), d, d_x + i);
  });
}

void log_softmax_row(const float* x, float* y, int64_t n) {
  const float top = max_of(x, n);
  const float sum = sum_over(n, [=](auto d, int64_t i) HWY_ATTR {
    return exp(d, hn::Sub(hn::LoadU(d, x + i), hn::Set(d, top)));
  });
  const float normaliser = top + std::log(sum);
  for_lanes(n, [=](auto d, int64_t i) HWY_ATTR {
    hn::StoreU(hn::Sub(hn::LoadU(d, x + i), hn::Set(d, normaliser)), d, y + i);
  });
}

void d_log_softmax_row(const float* y, const float* d_y, float* d_x, int64_t n) {
  const float sum = sum_over(n, [=](auto d, int64_t i) HWY_ATTR { return hn::LoadU(d, d_y + i); });
  for_lanes(n, [=](auto d, int64_t i) HWY_ATTR {
    const auto p = exp(d, hn::LoadU(d, y + i));
    hn::StoreU(hn::NegMulAdd(p, hn::Set(d, sum), hn::LoadU(d, d_y + i)), d, d_x + i);
  });
}

// rows[i] = -log sum_j exp(x_ij + columns[j]).
HWY_INLINE void update_rows(Floats x, const float* columns, float* rows, float* buffer) {
  const int64_t m = x.cols;
  for (int64_t i = 0; i < m; ++i) {
    const float* from = x.row(i);
    for_lanes(m, [=](auto d, int64_t j) HWY_ATTR {
      hn::StoreU(hn::Add(hn::LoadU(d, from + j), hn::LoadU(d, columns + j)), d, buffer + j);
    });
    const float top = max_of(buffer, m);
    const float sum = sum_over(m, [=](auto d, int64_t j) HWY_ATTR {
      return exp(d, hn::Sub(hn::LoadU(d, buffer + j), hn::Set(d, top)));
    });
    rows[i] = -(top + std::log(sum));
  }
}

// columns[j] = -log sum_i exp(x_ij + rows[i]).
HWY_INLINE void update_columns(Floats x, const float* rows, float* columns, float* top) {
  const int64_t m = x.cols;
  std::fill_n(top, m, -std::numeric_limits<float>::infinity());
  std::fill_n(columns, m, 0.0f);
  for (int64_t i = 0; i < m; ++i) {
    const float *from = x.row(i), row = rows[i];
    for_lanes(m, [=](auto d, int64_t j) HWY_ATTR {
      const auto term = hn::Add(hn::LoadU(d, from + j), hn::Set(d, row));
      hn::StoreU(hn::Max(hn::LoadU(d, top + j), term), d, top + j);
    });
  }
  for (int64_t i = 0; i < m; ++i) {
    const float *from = x.row(i), row = rows[i];
    for_lanes(m, [=](auto d, int64_t j) HWY_ATTR {
      const auto term = hn::Add(hn::LoadU(d, from + j), hn::Set(d, row));
      const auto value = exp(d, hn::Sub(term, hn::LoadU(d, top + j)));
      hn::StoreU(hn::Add(hn::LoadU(d, columns + j), value), d, columns + j);
    });
  }
  for (int64_t j = 0; j < m; ++j) columns[j] = -(top[j] + std::log(columns[j]));
}

// As ref::sinkhorn_factors, preceded by zeros.
HWY_INLINE std::vector<float> compute_factors(int64_t steps, Floats x, float* buffer) {
  const int64_t m = x.cols;
  std::vector<float> factors(static_cast<size_t>((2 * steps + 1) * m));
  for (int64_t s = 0; s < steps; ++s) {
    float* const before = factors.data() + 2 * s * m;
    update_rows(x, before, before + m, buffer);
    update_columns(x, before + m, before + 2 * m, buffer);
  }
  return factors;
}

// exp(x[j] + row + columns[j]) for a row of x.
template <class D>
HWY_INLINE hn::Vec<D> normalised_exp(D d, const float* x, float row, const float* columns,
                                     int64_t j) {
  return exp(d, hn::Add(hn::Add(hn::LoadU(d, x + j), hn::Set(d, row)), hn::LoadU(d, columns + j)));
}

void sinkhorn_matrix(int64_t steps, Floats x, Floats y) {
  const int64_t m = x.cols;
  std::vector<float> buffer(static_cast<size_t>(m));
  const std::vector<float> factors = compute_factors(steps, x, buffer.data());
  const float* const columns = factors.data() + 2 * steps * m;
  for (int64_t i = 0; i < m; ++i) {
    const float *from = x.row(i), row = columns[i - m];
    float* to = y.row(i);
    for_lanes(m, [=](auto d, int64_t j)
                     HWY_ATTR { hn::StoreU(normalised_exp(d, from, row, columns, j), d, to + j); });
  }
}

// Gradients of the factors of one round.
struct RoundGradients {
  float* rows;
  float* columns;
};

// d_x = d_y y, and the gradients of the last factors.
HWY_INLINE void d_output(Floats x, const float* columns, Floats d_y, Floats d_x,
                         const RoundGradients& gradients) {
  const int64_t m = x.cols;
  for (int64_t i = 0; i < m; ++i) {
    const float *from = x.row(i), *d_from = d_y.row(i), row = columns[i - m];
    float *to = d_x.row(i), *d_columns = gradients.columns;
    gradients.rows[i] = sum_over(m, [=](auto d, int64_t j) HWY_ATTR {
      const auto g = hn::Mul(hn::LoadU(d, d_from + j), normalised_exp(d, from, row, columns, j));
      hn::StoreU(g, d, to + j);
      hn::StoreU(hn::Add(hn::LoadU(d, d_columns + j), g), d, d_columns + j);
      return g;
    });
  }
}

// Backward of columns[j] = -log sum_i exp(x_ij + rows[i]).
HWY_INLINE void d_update_columns(Floats x, const float* columns, Floats d_x,
                                 const RoundGradients& gradients) {
  const int64_t m = x.cols;
  for (int64_t i = 0; i < m; ++i) {
    const float *from = x.row(i), *d_columns = gradients.columns, row = columns[i - m];
    float* to = d_x.row(i);
    gradients.rows[i] -= sum_over(m, [=](auto d, int64_t j) HWY_ATTR {
      const auto g = hn::Mul(hn::LoadU(d, d_columns + j), normalised_exp(d, from, row, columns, j));
      hn::StoreU(hn::Sub(hn::LoadU(d, to + j), g), d, to + j);
      return g;
    });
  }
}

// Backward of rows[i] = -log sum_j exp(x_ij + before[j]). On return gradients.columns is the
// gradient of before.
HWY_INLINE void d_update_rows(Floats x, const float* rows, const float* before, Floats d_x,
                              const RoundGradients& gradients) {
  const int64_t m = x.cols;
  std::fill_n(gradients.columns, m, 0.0f);
  for (int64_t i = 0; i < m; ++i) {
    const float *from = x.row(i), row = rows[i], d_row = gradients.rows[i];
    float *to = d_x.row(i), *d_before = gradients.columns;
    for_lanes(m, [=](auto d, int64_t j) HWY_ATTR {
      const auto g = hn::Mul(hn::Set(d, d_row), normalised_exp(d, from, row, before, j));
      hn::StoreU(hn::Sub(hn::LoadU(d, to + j), g), d, to + j);
      hn::StoreU(hn::Sub(hn::LoadU(d, d_before + j), g), d, d_before + j);
    });
  }
  std::fill_n(gradients.rows, m, 0.0f);
}

void d_sinkhorn_matrix(int64_t steps, Floats x, Floats d_y, Floats d_x) {
  const int64_t m = x.cols;
  std::vector<float> buffer(static_cast<size_t>(2 * m));
  const std::vector<float> factors = compute_factors(steps, x, buffer.data());
  std::fill(buffer.begin(), buffer.end(), 0.0f);
  const RoundGradients gradients{buffer.data(), buffer.data() + m};
  d_output(x, factors.data() + 2 * steps * m, d_y, d_x, gradients);
  for (int64_t s = steps; s-- > 0;) {
    const float* const before = factors.data() + 2 * s * m;
    d_update_columns(x, before + 2 * m, d_x, gradients);
    d_update_rows(x, before + m, before, d_x, gradients);
  }
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(softmax_row);
HWY_EXPORT(d_softmax_row);
HWY_EXPORT(log_softmax_row);
HWY_EXPORT(d_log_softmax_row);
HWY_EXPORT(sinkhorn_matrix);
HWY_EXPORT(d_sinkhorn_matrix);

namespace {

template <class K>
void forward(const K& k, void (*row)(const float* x, float* y, int64_t n)) {
  if (!is_float(k.x)) return ref::run(k);
  if (k.x.cols == 0) return;
  const Floats x = k.x.template as<float>(), y = k.y.template as<float>();
  for_each_row(x.rows, x.cols, [&](int64_t n) { row(x.row(n), y.row(n), x.cols); });
}

template <class K>
void backward(const K& k, void (*row)(const float* y, const float* d_y, float* d_x, int64_t n)) {
  if (!is_float(k.y)) return ref::run(k);
  const Floats y = k.y.template as<float>(), d_y = k.d_y.template as<float>(),
               d_x = k.d_x.template as<float>();
  for_each_row(y.rows, y.cols, [&](int64_t n) { row(y.row(n), d_y.row(n), d_x.row(n), y.cols); });
}

}  // namespace

void run(const Softmax& k) { forward(k, HWY_DYNAMIC_DISPATCH(softmax_row)); }
void run(const SoftmaxBackward& k) { backward(k, HWY_DYNAMIC_DISPATCH(d_softmax_row)); }
void run(const LogSoftmax& k) { forward(k, HWY_DYNAMIC_DISPATCH(log_softmax_row)); }
void run(const LogSoftmaxBackward& k) { backward(k, HWY_DYNAMIC_DISPATCH(d_log_softmax_row)); }

namespace {

// Calls body(begin, end) with the row range of each matrix of x, in parallel over matrices.
template <class Body>
void for_matrices(int64_t steps, const View& x, Body body) {
  if (x.cols == 0) return;
  for_each_row(x.rows / x.cols, steps * x.cols * x.cols,
               [&](int64_t b) { body(b * x.cols, (b + 1) * x.cols); });
}

}  // namespace

void run(const Sinkhorn& k) {
  if (!is_float(k.x)) return ref::run(k);
  for_matrices(k.steps, k.x, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(sinkhorn_matrix)
    (k.steps, k.x.as<float>().range(begin, end), k.y.as<float>().range(begin, end));
  });
}

void run(const SinkhornBackward& k) {
  if (!is_float(k.x)) return ref::run(k);
  for_matrices(k.steps, k.x, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(d_sinkhorn_matrix)
    (k.steps, k.x.as<float>().range(begin, end), k.d_y.as<float>().range(begin, end),
     k.d_x.as<float>().range(begin, end));
  });
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
