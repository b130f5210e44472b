#include "weft/kernels/cpu/norm.h"

#include <cmath>
#include <vector>

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
HWY_INLINE void norm_row(const Norm& norm, int64_t row) {
  const T* x = norm.x.as<T>().row(row);
  const T *gamma = norm.gamma.as<T>().data, *beta = norm.beta.as<T>().data;
  T* y = norm.y.as<T>().row(row);
  const int64_t width = norm.x.cols;
  const float share = 1 / static_cast<float>(width);
  const float mean =
      share * sum_over(width, [=](auto d, int64_t i) HWY_ATTR { return load(d, x + i); });
  const float variance = share * sum_over(width, [=](auto d, int64_t i) HWY_ATTR {
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
HWY_INLINE void rms_row(const Norm& norm, int64_t row) {
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

void rms_rows(const Norm& norm, int64_t begin, int64_t end) {
  with_type(norm.x.dtype, [&]<class T>(T) HWY_ATTR {
    for (int64_t row = begin; row < end; ++row) rms_row<T>(norm, row);
  });
}

void norm_rows(const Norm& norm, int64_t begin, int64_t end) {
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
  for (int64_t at = 0; at < width; at += kDropoutChunk) {
    dropout_factors(r.dropout, row, at / kDropoutChunk, factors);
    for_lanes(std::min(kDropoutChunk, width - at), [=, &factors](auto d, int64_t i) HWY_ATTR {
      const auto factor = hn::LoadU(d, factors + i);
      const auto kept = hn::Ne(factor, hn::Zero(d));
      const auto value = hn::IfThenElseZero(kept, hn::Mul(factor, load(d, x + at + i)));
      store(hn::MulAdd(hn::Set(d, scale), load(d, residual + at + i), value), d, to + at + i);
    });
  }
}

void residual_norm_rows(const ResidualNorm& r, int64_t begin, int64_t end) {
  const Norm norm{r.h, r.gamma, r.beta, r.epsilon, r.y, r.stats};
  with_type(r.x.dtype, [&]<class T>(T) HWY_ATTR {
    for (int64_t row = begin; row < end; ++row) {
      residual_row<T>(r, row);
      r.beta ? norm_row<T>(norm, row) : rms_row<T>(norm, row);
    }
  });
}

// d_x of one row; sums [2, D] collects the gradients of gamma and beta.
template <class T>
HWY_INLINE void d_norm_row(const NormGradient& g, int64_t row, float* sums) {
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

void d_norm_rows(const NormGradient& g, int64_t begin, int64_t end, float* sums) {
  with_type(g.x.dtype, [&]<class T>(T) HWY_ATTR {
    for (int64_t row = begin; row < end; ++row) d_norm_row<T>(g, row, sums);
  });
}

// The same of an rms norm; sums [1, D].
template <class T>
HWY_INLINE void d_rms_row(const NormGradient& g, int64_t row, float* sums) {
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

void d_rms_rows(const NormGradient& g, int64_t begin, int64_t end, float* sums) {
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

void layer_norm(const Norm& norm) {
  parallel_rows(norm.x.rows, norm.x.cols, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(norm_rows)(norm, begin, end);
  });
}

void residual_norm(const ResidualNorm& r) {
  const int64_t work = (r.dropout ? 4 : 1) * r.x.cols;
  parallel_rows(r.x.rows, work, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(residual_norm_rows)(r, begin, end);
  });
}

namespace {

// Calls rows(begin, end, sums) on blocks of rows that do not depend on the number of threads, and
// adds up their sums [`size`] in order.
template <class Rows>
std::vector<float> sums_of_blocks(const View& x, int64_t size, Rows rows) {
  constexpr int64_t kBlock = 64;
  const int64_t blocks = (x.rows + kBlock - 1) / kBlock;
  std::vector<float> sums(static_cast<size_t>(std::max<int64_t>(1, blocks) * size));
  parallel_rows(blocks, kBlock * x.cols, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) {
      rows(block * kBlock, std::min(x.rows, (block + 1) * kBlock), sums.data() + block * size);
    }
  });
  for (int64_t block = 1; block < blocks; ++block) {
    for (int64_t f = 0; f < size; ++f) sums[f] += sums[block * size + f];
  }
  return sums;
}

}  // namespace

void d_layer_norm(const NormGradient& g) {
  const int64_t width = g.x.cols;
  const auto sums =
      sums_of_blocks(g.x, 2 * width, [&](int64_t begin, int64_t end, float* of_block) {
        HWY_DYNAMIC_DISPATCH(d_norm_rows)(g, begin, end, of_block);
      });
  float *d_gamma = g.d_gamma.as<float>().data, *d_beta = g.d_beta.as<float>().data;
  for (int64_t f = 0; f < width; ++f) d_gamma[f] += sums[f];
  for (int64_t f = 0; f < width; ++f) d_beta[f] += sums[width + f];
}

void rms_norm(const Norm& norm) {
  parallel_rows(norm.x.rows, norm.x.cols, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(rms_rows)(norm, begin, end);
  });
}

void d_rms_norm(const NormGradient& g) {
  const auto sums = sums_of_blocks(g.x, g.x.cols, [&](int64_t begin, int64_t end, float* of_block) {
    HWY_DYNAMIC_DISPATCH(d_rms_rows)(g, begin, end, of_block);
  });
  float* d_gamma = g.d_gamma.as<float>().data;
  for (int64_t f = 0; f < g.x.cols; ++f) d_gamma[f] += sums[f];
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
