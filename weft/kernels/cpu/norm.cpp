#include "weft/kernels/norm.h"

#include <array>
#include <cmath>
#include <vector>

#include "weft/kernels/cpu/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/norm.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/philox-inl.h"
#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

// (x - mean) inverse
template <class D, class T>
HWY_INLINE hn::Vec<D> normalised(D d, const T* x, float mean, float inverse) {
  return hn::Mul(hn::Sub(load(d, x), hn::Set(d, mean)), hn::Set(d, inverse));
}

template <class T>
HWY_INLINE void norm_row(const LayerNorm& norm, int64_t row) {
  const T* x = norm.x.as<T>().row(row);
  const T *gamma = norm.gamma.as<T>().data, *beta = norm.beta.as<T>().data;
  T* y = norm.y.as<T>().row(row);
  const int64_t width = norm.x.cols;
  const float inverse_count = 1 / static_cast<float>(width);
  const float mean =
      inverse_count * sum_over(width, [=](auto d, int64_t i) HWY_ATTR { return load(d, x + i); });
  const float variance = inverse_count * sum_over(width, [=](auto d, int64_t i) HWY_ATTR {
                           const auto centred = hn::Sub(load(d, x + i), hn::Set(d, mean));
                           return hn::Mul(centred, centred);
                         });
  const float inverse = 1 / std::sqrt(variance + static_cast<float>(norm.epsilon));
  for_lanes(width, [=](auto d, int64_t i) HWY_ATTR {
    const auto normal = normalised(d, x + i, mean, inverse);
    store(hn::MulAdd(normal, load(d, gamma + i), load(d, beta + i)), d, y + i);
  });
  if (!norm.stats) return;
  float* stats = norm.stats.as<float>().row(row);
  stats[0] = mean;
  stats[1] = inverse;
}

template <class T>
HWY_INLINE void rms_row(const RmsNorm& norm, int64_t row) {
  const T *x = norm.x.as<T>().row(row), *gamma = norm.gamma.as<T>().data;
  T* y = norm.y.as<T>().row(row);
  const int64_t width = norm.x.cols;
  const float squares = sum_over(width, [=](auto d, int64_t i) HWY_ATTR {
    const auto v = load(d, x + i);
    return hn::Mul(v, v);
  });
  const float mean = squares / static_cast<float>(width);
  const float inverse = 1 / std::sqrt(mean + static_cast<float>(norm.epsilon));
  for_lanes(width, [=](auto d, int64_t i) HWY_ATTR {
    const auto normal = hn::Mul(load(d, x + i), hn::Set(d, inverse));
    store(hn::Mul(normal, load(d, gamma + i)), d, y + i);
  });
  if (norm.stats) norm.stats.as<float>().row(row)[0] = inverse;
}

void rms_rows(const RmsNorm& norm, int64_t begin, int64_t end) {
  with_type(norm.x.dtype, [&]<class T>(T) HWY_ATTR {
    for (int64_t row = begin; row < end; ++row) rms_row<T>(norm, row);
  });
}

void norm_rows(const LayerNorm& norm, int64_t begin, int64_t end) {
  with_type(norm.x.dtype, [&]<class T>(T) HWY_ATTR {
    for (int64_t row = begin; row < end; ++row) norm_row<T>(norm, row);
  });
}

// h = residual_scale * residual + dropout(x)
template <class T>
HWY_INLINE void residual_row(const ResidualNorm& r, int64_t row) {
  alignas(64) float factors[kDropoutChunk];
  const T *x = r.x.as<T>().row(row), *residual = r.residual.as<T>().row(row);
  T* to = r.h.as<T>().row(row);
  const auto scale = static_cast<float>(r.residual_scale);
  const int64_t width = r.h.cols;
  if (!r.dropout) {
    for_lanes(width, [=](auto d, int64_t i) HWY_ATTR {
      const auto sum = hn::MulAdd(hn::Set(d, scale), load(d, residual + i), load(d, x + i));
      store(sum, d, to + i);
    });
    return;
  }
  for (int64_t begin = 0; begin < width; begin += kDropoutChunk) {
    dropout_factors(r.dropout, row, begin / kDropoutChunk, factors);
    for_lanes(std::min(kDropoutChunk, width - begin), [=, &factors](auto d, int64_t i) HWY_ATTR {
      const auto factor = hn::LoadU(d, factors + i);
      const auto kept = hn::Ne(factor, hn::Zero(d));
      const auto value = hn::IfThenElseZero(kept, hn::Mul(factor, load(d, x + begin + i)));
      store(hn::MulAdd(hn::Set(d, scale), load(d, residual + begin + i), value), d, to + begin + i);
    });
  }
}

void residual_norm_rows(const ResidualNorm& r, int64_t begin, int64_t end) {
  const LayerNorm layer{r.h, r.gamma, r.beta, r.epsilon, r.y, r.stats};
  const RmsNorm rms{r.h, r.gamma, r.epsilon, r.y, r.stats};
  with_type(r.x.dtype, [&]<class T>(T) HWY_ATTR {
    for (int64_t row = begin; row < end; ++row) {
      residual_row<T>(r, row);
      r.beta ? norm_row<T>(layer, row) : rms_row<T>(rms, row);
    }
  });
}

// d_x of one row; sums [2, D] collects the gradients of gamma and beta.
template <class T>
HWY_INLINE void d_norm_row(const LayerNormBackward& g, int64_t row, float* sums) {
  const T *x = g.x.as<T>().row(row), *d_y = g.d_y.as<T>().row(row);
  const T* gamma = g.gamma.as<T>().data;
  const float* stats = g.stats.as<float>().row(row);
  const float mean = stats[0], inverse = stats[1];
  const int64_t width = g.x.cols;
  const auto [sum, dot] =
      sum_both(width, [=](auto d, int64_t i, auto& first, auto& second) HWY_ATTR {
        const auto normal = normalised(d, x + i, mean, inverse), upper = load(d, d_y + i);
        const auto scaled = hn::Mul(upper, load(d, gamma + i));
        first = hn::Add(first, scaled);
        second = hn::MulAdd(scaled, normal, second);
        float *to_gamma = sums + i, *to_beta = to_gamma + width;
        store(hn::MulAdd(upper, normal, load(d, to_gamma)), d, to_gamma);
        store(hn::Add(upper, load(d, to_beta)), d, to_beta);
      });
  const float sum_mean = sum / static_cast<float>(width),
              dot_mean = dot / static_cast<float>(width);
  T* d_x = g.d_x.as<T>().row(row);
  for_lanes(width, [=](auto d, int64_t i) HWY_ATTR {
    const auto normal = normalised(d, x + i, mean, inverse);
    const auto scaled = hn::Mul(load(d, d_y + i), load(d, gamma + i));
    const auto rest = hn::MulAdd(normal, hn::Set(d, dot_mean), hn::Set(d, sum_mean));
    store(hn::Mul(hn::Sub(scaled, rest), hn::Set(d, inverse)), d, d_x + i);
  });
}

void d_norm_rows(const LayerNormBackward& g, int64_t begin, int64_t end, float* sums) {
  with_type(g.x.dtype, [&]<class T>(T) HWY_ATTR {
    for (int64_t row = begin; row < end; ++row) d_norm_row<T>(g, row, sums);
  });
}

// The same for an RMS norm; sums [1, D].
template <class T>
HWY_INLINE void d_rms_row(const RmsNormBackward& g, int64_t row, float* sums) {
  const T *x = g.x.as<T>().row(row), *d_y = g.d_y.as<T>().row(row);
  const T* gamma = g.gamma.as<T>().data;
  const float inverse = g.stats.as<float>().row(row)[0];
  const int64_t width = g.x.cols;
  const float dot = sum_over(width, [=](auto d, int64_t i) HWY_ATTR {
    const auto normal = hn::Mul(load(d, x + i), hn::Set(d, inverse)), upper = load(d, d_y + i);
    store(hn::MulAdd(upper, normal, load(d, sums + i)), d, sums + i);
    return hn::Mul(hn::Mul(upper, load(d, gamma + i)), normal);
  });
  const float mean = dot / static_cast<float>(width);
  T* d_x = g.d_x.as<T>().row(row);
  for_lanes(width, [=](auto d, int64_t i) HWY_ATTR {
    const auto normal = hn::Mul(load(d, x + i), hn::Set(d, inverse));
    const auto scaled = hn::Mul(load(d, d_y + i), load(d, gamma + i));
    const auto centred = hn::NegMulAdd(normal, hn::Set(d, mean), scaled);
    store(hn::Mul(centred, hn::Set(d, inverse)), d, d_x + i);
  });
}

void d_rms_rows(const RmsNormBackward& g, int64_t begin, int64_t end, float* sums) {
  with_type(g.x.dtype, [&]<class T>(T) HWY_ATTR {
    for (int64_t row = begin; row < end; ++row) d_rms_row<T>(g, row, sums);
  });
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(norm_rows);
HWY_EXPORT(residual_norm_rows);
HWY_EXPORT(d_norm_rows);
HWY_EXPORT(rms_rows);
HWY_EXPORT(d_rms_rows);

namespace {

// Calls rows(begin, end, sums) on row blocks that do not depend on the number of threads, and adds
// their sums [size] in order.
template <class Rows>
std::vector<float> sums_of_blocks(const View& x, int64_t size, Rows rows) {
  constexpr int64_t kBlock = 64;
  const int64_t blocks = (x.rows + kBlock - 1) / kBlock;
  std::vector<float> sums(static_cast<size_t>(std::max<int64_t>(1, blocks) * size));
  for_each_row(blocks, kBlock * x.cols, [&](int64_t block) {
    rows(block * kBlock, std::min(x.rows, (block + 1) * kBlock), sums.data() + block * size);
  });
  for (int64_t block = 1; block < blocks; ++block) {
    for (int64_t f = 0; f < size; ++f) sums[f] += sums[block * size + f];
  }
  return sums;
}

void add_to(const View& gradient, const float* sums) {
  for (int64_t f = 0; f < gradient.cols; ++f) gradient.as<float>().data[f] += sums[f];
}

}  // namespace

void run(const LayerNorm& norm) {
  if (!is_fast(norm.x)) return ref::run(norm);
  parallel_rows(norm, norm.x.rows, norm.x.cols, HWY_DYNAMIC_DISPATCH(norm_rows));
}

void run(const LayerNormBackward& g) {
  if (!is_fast(g.x)) return ref::run(g);
  const int64_t width = g.x.cols;
  const auto sums = sums_of_blocks(g.x, 2 * width, [&](int64_t begin, int64_t end, float* block) {
    HWY_DYNAMIC_DISPATCH(d_norm_rows)(g, begin, end, block);
  });
  add_to(g.d_gamma, sums.data());
  add_to(g.d_beta, sums.data() + width);
}

void run(const RmsNorm& norm) {
  if (!is_fast(norm.x)) return ref::run(norm);
  parallel_rows(norm, norm.x.rows, norm.x.cols, HWY_DYNAMIC_DISPATCH(rms_rows));
}

void run(const RmsNormBackward& g) {
  if (!is_fast(g.x)) return ref::run(g);
  const auto sums = sums_of_blocks(g.x, g.x.cols, [&](int64_t begin, int64_t end, float* block) {
    HWY_DYNAMIC_DISPATCH(d_rms_rows)(g, begin, end, block);
  });
  add_to(g.d_gamma, sums.data());
}

void run(const ResidualNorm& r) {
  if (!is_fast(r.x)) return ref::run(r);
  const int64_t work = (r.dropout ? 4 : 1) * r.x.cols;
  parallel_rows(r, r.x.rows, work, HWY_DYNAMIC_DISPATCH(residual_norm_rows));
}

namespace {

// Columns of a batch norm that are processed together. A column is summed by one thread in row
// order.
constexpr int64_t kColumns = 32;
using Sums = std::array<double, kColumns>;

// Calls body(type, begin, end) on ranges of at most kColumns columns.
template <class Body>
void for_columns(const View& x, Body body) {
  const int64_t groups = (x.cols + kColumns - 1) / kColumns;
  parallel_rows(groups, kColumns * x.rows, [&](int64_t first, int64_t last) {
    for (int64_t g = first; g < last; ++g) {
      const int64_t begin = g * kColumns, end = std::min(x.cols, begin + kColumns);
      if (x.dtype == DType::kBF16) {
        body(BF16(), begin, end);
      } else {
        body(float(), begin, end);
      }
    }
  });
}

float inverse_of(const View& stats, int64_t column, double epsilon) {
  return 1 / std::sqrt(stats.as<float>().row(1)[column] + static_cast<float>(epsilon));
}

}  // namespace

void run(const ColumnMoments& k) {
  const View &x = k.x, &stats = k.stats;
  if (!is_fast(x)) return ref::run(k);
  for_columns(x, [&]<class T>(T, int64_t begin, int64_t end) {
    const Matrix<T> from = x.as<T>();
    const double inverse_count = 1 / static_cast<double>(x.rows);
    Sums mean{}, squares{};
    for (int64_t n = 0; n < x.rows; ++n) {
      for (int64_t f = begin; f < end; ++f) {
        mean[f - begin] += static_cast<float>(from.row(n)[f]);
      }
    }
    for (double& m : mean) m *= inverse_count;
    for (int64_t n = 0; n < x.rows; ++n) {
      for (int64_t f = begin; f < end; ++f) {
        const double centred = static_cast<float>(from.row(n)[f]) - mean[f - begin];
        squares[f - begin] += centred * centred;
      }
    }
    for (int64_t f = begin; f < end; ++f) {
      stats.as<float>().row(0)[f] = static_cast<float>(mean[f - begin]);
      stats.as<float>().row(1)[f] = static_cast<float>(squares[f - begin] * inverse_count);
    }
  });
}

void run(const BatchNorm& norm) {
  if (!is_fast(norm.x)) return ref::run(norm);
  for_columns(norm.x, [&]<class T>(T, int64_t begin, int64_t end) {
    const Matrix<T> x = norm.x.as<T>(), y = norm.y.as<T>();
    std::array<float, kColumns> slope, offset;
    for (int64_t f = begin; f < end; ++f) {
      slope[f - begin] =
          inverse_of(norm.stats, f, norm.epsilon) * static_cast<float>(norm.gamma.as<T>().data[f]);
      offset[f - begin] = static_cast<float>(norm.beta.as<T>().data[f]);
    }
    const float* mean = norm.stats.as<float>().row(0);
    for (int64_t n = 0; n < x.rows; ++n) {
      for (int64_t f = begin; f < end; ++f) {
        const float centred = static_cast<float>(x.row(n)[f]) - mean[f];
        y.row(n)[f] = T(centred * slope[f - begin] + offset[f - begin]);
      }
    }
  });
}

void run(const BatchNormBackward& g) {
  if (!is_fast(g.x)) return ref::run(g);
  for_columns(g.x, [&]<class T>(T, int64_t begin, int64_t end) {
    const Matrix<T> x = g.x.as<T>(), d_y = g.d_y.as<T>(), d_x = g.d_x.as<T>();
    const float* mean = g.stats.as<float>().row(0);
    std::array<float, kColumns> inverse;
    for (int64_t f = begin; f < end; ++f) inverse[f - begin] = inverse_of(g.stats, f, g.epsilon);
    const auto normal = [&](int64_t n, int64_t f) {
      return (static_cast<float>(x.row(n)[f]) - mean[f]) * inverse[f - begin];
    };
    Sums sum{}, dot{};
    for (int64_t n = 0; n < x.rows; ++n) {
      for (int64_t f = begin; f < end; ++f) {
        const auto d = static_cast<float>(d_y.row(n)[f]);
        sum[f - begin] += d;
        dot[f - begin] += d * normal(n, f);
      }
    }
    for (int64_t f = begin; f < end; ++f) {
      g.d_gamma.as<float>().data[f] += static_cast<float>(dot[f - begin]);
      g.d_beta.as<float>().data[f] += static_cast<float>(sum[f - begin]);
    }
    const double inverse_count = g.is_fixed ? 0 : 1 / static_cast<double>(x.rows);
    for (int64_t n = 0; n < x.rows; ++n) {
      for (int64_t f = begin; f < end; ++f) {
        const auto through =
            static_cast<float>(inverse_count * (sum[f - begin] + normal(n, f) * dot[f - begin]));
        const float slope = static_cast<float>(g.gamma.as<T>().data[f]) * inverse[f - begin];
        d_x.row(n)[f] = T(slope * (static_cast<float>(d_y.row(n)[f]) - through));
      }
    }
  });
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
