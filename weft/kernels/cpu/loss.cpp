#include "weft/kernels/loss.h"

#include <cmath>

#include "weft/kernels/cpu/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/loss.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

// The sums of e^(x - top) and of x - top. Stores the exponentials in `exponentials` unless null.
template <bool kKeep, class T>
HWY_INLINE std::pair<float, float> exp_sums(const T* x, float top, T* exponentials, int64_t n) {
  return sum_both(n, [=](auto d, int64_t i, auto& sum, auto& shifted_sum) HWY_ATTR {
    const auto shifted = hn::Sub(load(d, x + i), hn::Set(d, top));
    const auto e = exp(d, shifted);
    if constexpr (kKeep) store(e, d, exponentials + i);
    sum = hn::Add(sum, e);
    shifted_sum = hn::Add(shifted_sum, shifted);
  });
}

// The factor of the gradient of a row.
HWY_INLINE double weight_of(const SoftmaxLoss& c, int64_t row) {
  return c.row_weights ? c.weight * c.row_weights[row] : c.weight;
}

// All passes over a row run while it is cached, so memory is read and written once.
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
// term of the target class is kept out of the sums, to avoid cancellation when p is near t.
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

// The logits of one row, scaled and with their log normaliser: log_softmax at i is
// (x[i] - top) * scale - log_sum.
template <class T>
struct LogRow {
  const T* x;
  float top, scale, log_sum;

  LogRow(const T* logits, int64_t n, float inverse_temperature)
      : x(logits), top(max_of(logits, n)), scale(inverse_temperature), log_sum(0) {
    const float sum = sum_over(n, [this](auto d, int64_t i) HWY_ATTR { return exp(d, at(d, i)); });
    log_sum = std::log(sum);
  }
  template <class D>
  HWY_INLINE hn::Vec<D> at(D d, int64_t i) const {
    const auto shifted = hn::Sub(load(d, x + i), hn::Set(d, top));
    return hn::Sub(hn::Mul(shifted, hn::Set(d, scale)), hn::Set(d, log_sum));
  }
};

template <class T>
HWY_INLINE void divergence_row(const Divergence& c, int64_t row) {
  const int64_t width = c.x.cols;
  const auto scale = static_cast<float>(1 / c.temperature);
  const LogRow<T> p(c.x.as<T>().row(row), width, scale), t(c.z.as<T>().row(row), width, scale);
  const float loss = sum_over(width, [=](auto d, int64_t i) HWY_ATTR {
    const auto log_t = t.at(d, i);
    return hn::Mul(exp(d, log_t), hn::Sub(log_t, p.at(d, i)));
  });
  c.loss[row] = loss;
  const float weight =
      static_cast<float>(c.weight) * (c.row_weights ? c.row_weights[row] : 1) * scale;
  if (c.d_x) {
    T* to = c.d_x.as<T>().row(row);
    for_lanes(width, [=](auto d, int64_t i) HWY_ATTR {
      const auto apart = hn::Sub(exp(d, p.at(d, i)), exp(d, t.at(d, i)));
      store(hn::MulAdd(apart, hn::Set(d, weight), load(d, to + i)), d, to + i);
    });
  }
  if (c.d_z) {
    T* to = c.d_z.as<T>().row(row);
    for_lanes(width, [=](auto d, int64_t i) HWY_ATTR {
      const auto log_t = t.at(d, i);
      const auto apart = hn::Sub(hn::Sub(log_t, p.at(d, i)), hn::Set(d, loss));
      const auto target_weight = hn::Mul(exp(d, log_t), hn::Set(d, weight));
      store(hn::MulAdd(target_weight, apart, load(d, to + i)), d, to + i);
    });
  }
}

void divergence_rows(const Divergence& c, int64_t begin, int64_t end) {
  with_type(c.x.dtype, [&]<class T>(T) HWY_ATTR {
    for (int64_t row = begin; row < end; ++row) divergence_row<T>(c, row);
  });
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(cross_entropy_rows);
HWY_EXPORT(divergence_rows);

void run(const SoftmaxLoss& c) {
  if (!is_fast(c.x)) return ref::run(c);
  parallel_rows(c, c.x.rows, c.x.cols, HWY_DYNAMIC_DISPATCH(cross_entropy_rows));
}

void run(const Divergence& c) {
  if (!is_fast(c.x)) return ref::run(c);
  parallel_rows(c, c.x.rows, 4 * c.x.cols, HWY_DYNAMIC_DISPATCH(divergence_rows));
}

// Parallel over sequences. The cost per sequence is rows times labels, small compared to the
// logits.
void run(const Ctc& c) {
  if (!is_float(c.log_p)) return ref::run(c);
  parallel_for(std::ssize(c.offsets) - 1, 1, [&](int64_t begin, int64_t end) {
    Ctc part = c;
    const auto first = static_cast<size_t>(begin), count = static_cast<size_t>(end - begin + 1);
    part.offsets = c.offsets.subspan(first, count);
    part.label_offsets = c.label_offsets.subspan(first, count);
    part.loss = c.loss + begin;
    ref::run(part);
  });
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
