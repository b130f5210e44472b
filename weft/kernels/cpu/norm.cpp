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
template <class D>
HWY_INLINE hn::Vec<D> normalised(D d, const float* x, float mean, float inverse) {
  return hn::Mul(hn::Sub(hn::LoadU(d, x), hn::Set(d, mean)), hn::Set(d, inverse));
}

void norm_row(const LayerNorm& norm, int64_t row) {
  const float *x = norm.x.row(row), *gamma = norm.gamma, *beta = norm.beta;
  float* y = norm.y.row(row);
  const int64_t width = norm.x.cols;
  const float share = 1 / static_cast<float>(width);
  const float mean =
      share * sum_over(width, [=](auto d, int64_t i) HWY_ATTR { return hn::LoadU(d, x + i); });
  const float variance = share * sum_over(width, [=](auto d, int64_t i) HWY_ATTR {
                           const auto centred = hn::Sub(hn::LoadU(d, x + i), hn::Set(d, mean));
                           return hn::Mul(centred, centred);
                         });
  const float inverse = 1 / std::sqrt(variance + norm.epsilon);
  for_lanes(width, [=](auto d, int64_t i) HWY_ATTR {
    const auto normal = normalised(d, x + i, mean, inverse);
    const auto out = hn::MulAdd(normal, hn::LoadU(d, gamma + i), hn::LoadU(d, beta + i));
    hn::StoreU(out, d, y + i);
  });
  if (!norm.stats.data) return;
  norm.stats.row(row)[0] = mean;
  norm.stats.row(row)[1] = inverse;
}

void norm_rows(const LayerNorm& norm, int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; ++row) norm_row(norm, row);
}

// h = residual + dropout(x)
HWY_INLINE void residual_row(const Dropout& dropout, int64_t row, const float* x,
                             const float* residual, Floats h) {
  alignas(64) float factors[kDropoutChunk];
  float* to = h.row(row);
  if (!dropout) {
    for_lanes(h.cols, [=](auto d, int64_t i) HWY_ATTR {
      hn::StoreU(hn::Add(hn::LoadU(d, residual + i), hn::LoadU(d, x + i)), d, to + i);
    });
    return;
  }
  for (int64_t at = 0; at < h.cols; at += kDropoutChunk) {
    dropout_factors(dropout, row, at / kDropoutChunk, factors);
    for_lanes(std::min(kDropoutChunk, h.cols - at), [=, &factors](auto d, int64_t i) HWY_ATTR {
      const auto factor = hn::LoadU(d, factors + i);
      const auto kept = hn::Ne(factor, hn::Zero(d));
      const auto value = hn::IfThenElseZero(kept, hn::Mul(factor, hn::LoadU(d, x + at + i)));
      hn::StoreU(hn::Add(hn::LoadU(d, residual + at + i), value), d, to + at + i);
    });
  }
}

void residual_norm_row(const Dropout& dropout, Floats x, Floats residual, const LayerNorm& norm,
                       int64_t row) {
  residual_row(dropout, row, x.row(row), residual.row(row), norm.x);
  norm_row(norm, row);
}

// d_x of one row; sums [2, D] collects the gradients of gamma and beta.
HWY_INLINE void d_norm_row(const LayerNormGradient& g, int64_t row, float* sums) {
  const float *x = g.x.row(row), *d_y = g.d_y.row(row), *gamma = g.gamma;
  const float mean = g.stats.row(row)[0], inverse = g.stats.row(row)[1];
  const int64_t width = g.x.cols;
  const auto [sum, dot] =
      sum_both(width, [=](auto d, int64_t i, auto& first, auto& second) HWY_ATTR {
        const auto normal = normalised(d, x + i, mean, inverse), upper = hn::LoadU(d, d_y + i);
        const auto scaled = hn::Mul(upper, hn::LoadU(d, gamma + i));
        first = hn::Add(first, scaled);
        second = hn::MulAdd(scaled, normal, second);
        float *to_gamma = sums + i, *to_beta = to_gamma + width;
        hn::StoreU(hn::MulAdd(upper, normal, hn::LoadU(d, to_gamma)), d, to_gamma);
        hn::StoreU(hn::Add(upper, hn::LoadU(d, to_beta)), d, to_beta);
      });
  const float sum_mean = sum / static_cast<float>(width),
              dot_mean = dot / static_cast<float>(width);
  float* d_x = g.d_x.row(row);
  for_lanes(width, [=](auto d, int64_t i) HWY_ATTR {
    const auto normal = normalised(d, x + i, mean, inverse);
    const auto scaled = hn::Mul(hn::LoadU(d, d_y + i), hn::LoadU(d, gamma + i));
    const auto rest = hn::MulAdd(normal, hn::Set(d, dot_mean), hn::Set(d, sum_mean));
    hn::StoreU(hn::Mul(hn::Sub(scaled, rest), hn::Set(d, inverse)), d, d_x + i);
  });
}

void d_norm_rows(const LayerNormGradient& g, int64_t begin, int64_t end, float* sums) {
  for (int64_t row = begin; row < end; ++row) d_norm_row(g, row, sums);
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(norm_rows);
HWY_EXPORT(residual_norm_row);
HWY_EXPORT(d_norm_rows);

void layer_norm(const LayerNorm& norm) {
  parallel_rows(norm.x.rows, norm.x.cols, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(norm_rows)(norm, begin, end);
  });
}

void residual_norm(const Dropout& dropout, Floats x, Floats residual, const LayerNorm& norm) {
  parallel_rows(x.rows, 4 * x.cols, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      HWY_DYNAMIC_DISPATCH(residual_norm_row)(dropout, x, residual, norm, row);
    }
  });
}

void d_layer_norm(const LayerNormGradient& g) {
  // Blocks of rows that do not depend on the number of threads; their sums are added in order.
  constexpr int64_t kBlock = 64;
  const int64_t rows = g.x.rows, width = g.x.cols, blocks = (rows + kBlock - 1) / kBlock;
  std::vector<float> sums(static_cast<size_t>(blocks * 2 * width));
  parallel_rows(blocks, kBlock * width, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) {
      HWY_DYNAMIC_DISPATCH(d_norm_rows)
      (g, block * kBlock, std::min(rows, (block + 1) * kBlock), sums.data() + block * 2 * width);
    }
  });
  for (int64_t block = 0; block < blocks; ++block) {
    const float* sum = sums.data() + block * 2 * width;
    for (int64_t f = 0; f < width; ++f) g.d_gamma[f] += sum[f];
    for (int64_t f = 0; f < width; ++f) g.d_beta[f] += sum[width + f];
  }
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
