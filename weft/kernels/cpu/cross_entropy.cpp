#include "weft/kernels/cpu/cross_entropy.h"

#include <cmath>

#include "weft/kernels/ref/cross_entropy.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/cross_entropy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

// The sum of e^(x - top), and of x - top. Exponentials are kept in `kept` where it is not null.
template <bool kKeep, class T>
HWY_INLINE std::pair<float, float> exp_sums(const T* x, float top, T* kept, int64_t n) {
  return sum_both(n, [=](auto d, int64_t i, auto& sum, auto& shifted_sum) HWY_ATTR {
    const auto shifted = hn::Sub(load(d, x + i), hn::Set(d, top));
    const auto e = exp(d, shifted);
    if constexpr (kKeep) store(e, d, kept + i);
    sum = hn::Add(sum, e);
    shifted_sum = hn::Add(shifted_sum, shifted);
  });
}

// What the gradient of a row is multiplied by.
HWY_INLINE double weight_of(const SoftmaxLoss& c, int64_t row) {
  return c.row_weights ? c.weight * c.row_weights[row] : c.weight;
}

// A row stays in cache from its maximum to its gradient, so memory is read and written once.
template <class T>
HWY_INLINE void cross_entropy_row(const SoftmaxLoss& c, int64_t row, Matrix<T> x, T* d_x) {
  const T* logits = x.row(row);
  const int64_t width = x.cols;
  const int32_t target = c.targets[row];
  const float top = max_of(logits, width);
  const float shifted_target = static_cast<float>(logits[target]) - top;
  const auto [sum, shifted_sum] =
      d_x ? exp_sums<true>(logits, top, d_x, width) : exp_sums<false>(logits, top, d_x, width);
  const double log_sum = std::log(double{sum});
  const double nll = log_sum - shifted_target;
  c.nll[row] = nll;
  c.loss[row] = (1 - c.smoothing) * nll +
                c.smoothing * (log_sum - double{shifted_sum} / static_cast<double>(width));
  if (c.kind == LossKind::kKl) c.loss[row] -= ref::target_entropy(c.smoothing, width);
  if (!d_x) return;
  const double weight = weight_of(c, row);
  const auto factor = static_cast<float>(weight / sum);
  const auto rest = static_cast<float>(-weight * c.smoothing / static_cast<double>(width));
  for_lanes(width, [=](auto d, int64_t i) HWY_ATTR {
    store(hn::MulAdd(load(d, d_x + i), hn::Set(d, factor), hn::Set(d, rest)), d, d_x + i);
  });
  d_x[target] = T(static_cast<float>(d_x[target]) - static_cast<float>(weight * (1 - c.smoothing)));
}

// |p - t| or its square, and its gradient p (g - sum p g), g = (p - t) / |p - t| or 2 (p - t). The
// target's own term stands apart from the sums: where p is near t, little else is left of them.
template <class T>
HWY_INLINE void distance_row(const SoftmaxLoss& c, int64_t row, Matrix<T> x, T* d_x) {
  const T* logits = x.row(row);
  const int64_t width = x.cols, target = c.targets[row];
  const float top = max_of(logits, width);
  const float sum = sum_over(width, [=](auto d, int64_t i) HWY_ATTR {
    return exp(d, hn::Sub(load(d, logits + i), hn::Set(d, top)));
  });
  const float inverse = 1 / sum;
  const auto rest = static_cast<float>(c.smoothing / static_cast<double>(width));
  const auto probability = [=](auto d, int64_t i) HWY_ATTR {
    const auto e = exp(d, hn::Sub(load(d, logits + i), hn::Set(d, top)));
    return hn::Mul(e, hn::Set(d, inverse));
  };
  // Squares of p - t, and p (p - t).
  const auto sums = [=](int64_t begin, int64_t end) HWY_ATTR {
    return sum_both(end - begin, [=](auto d, int64_t i, auto& squares, auto& dot) HWY_ATTR {
      const auto p = probability(d, begin + i), apart = hn::Sub(p, hn::Set(d, rest));
      squares = hn::MulAdd(apart, apart, squares);
      dot = hn::MulAdd(p, apart, dot);
    });
  };
  const auto before = sums(0, target), after = sums(target + 1, width);
  const float hit = hn::GetLane(probability(OneFloatTag(), target));
  const float missed = hit - rest - static_cast<float>(1 - c.smoothing);
  const float squares = before.first + after.first + missed * missed;
  const float dot = before.second + after.second + hit * missed;
  const float distance = std::sqrt(squares);
  const bool is_squared = c.kind == LossKind::kSquaredEuclidean;
  c.nll[row] = std::log(double{sum}) - (static_cast<float>(logits[target]) - top);
  c.loss[row] = is_squared ? squares : distance;
  if (!d_x) return;
  const float slope = is_squared ? 2 : distance > 0 ? 1 / distance : 0;
  const float factor = static_cast<float>(weight_of(c, row)) * slope;
  for_lanes(width, [=](auto d, int64_t i) HWY_ATTR {
    const auto p = probability(d, i), apart = hn::Sub(p, hn::Set(d, rest + dot));
    store(hn::Mul(hn::Mul(p, hn::Set(d, factor)), apart), d, d_x + i);
  });
  d_x[target] = T(factor * hit * (missed - dot));
}

void cross_entropy_rows(const SoftmaxLoss& c, int64_t begin, int64_t end) {
  with_type(c.x.dtype, [&]<class T>(T) HWY_ATTR {
    const Matrix<T> x = c.x.as<T>(), d_x = c.d_x.as<T>();
    const bool is_distance =
        c.kind == LossKind::kEuclidean || c.kind == LossKind::kSquaredEuclidean;
    for (int64_t row = begin; row < end; ++row) {
      T* d_row = d_x.data ? d_x.row(row) : nullptr;
      is_distance ? distance_row(c, row, x, d_row) : cross_entropy_row(c, row, x, d_row);
    }
  });
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(cross_entropy_rows);

void cross_entropy(const SoftmaxLoss& c) {
  parallel_rows(c.x.rows, c.x.cols, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(cross_entropy_rows)(c, begin, end);
  });
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
