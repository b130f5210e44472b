#include "weft/kernels/reduce.h"

#include <vector>

#include "weft/kernels/cpu/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/reduce.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

// y += the sum of eight rows.
template <class T>
HWY_INLINE void add_rows(const T* x, int64_t stride, float* y, int64_t n) {
  for_lanes(n, [=](auto d, int64_t i) HWY_ATTR {
    const auto pair = [=](int64_t row) HWY_ATTR {
      const T* element = x + row * stride + i;
      return hn::Add(load(d, element), load(d, element + stride));
    };
    const auto sum = hn::Add(hn::Add(pair(0), pair(2)), hn::Add(pair(4), pair(6)));
    hn::StoreU(hn::Add(hn::LoadU(d, y + i), sum), d, y + i);
  });
}

template <class T>
HWY_INLINE void add_row(const T* x, float* y, int64_t n) {
  for_lanes(n, [=](auto d, int64_t i) HWY_ATTR {
    hn::StoreU(hn::Add(hn::LoadU(d, y + i), load(d, x + i)), d, y + i);
  });
}

// Processes columns in strips whose sums stay in the cache.
template <class T>
HWY_INLINE void sum_columns(Matrix<T> x, float* y, int64_t begin, int64_t end) {
  constexpr int64_t kStrip = 2048;
  for (int64_t f = begin; f < end; f += kStrip) {
    const int64_t width = std::min(kStrip, end - f);
    int64_t n = 0;
    for (; n + 8 <= x.rows; n += 8) add_rows(x.row(n) + f, x.stride, y + f, width);
    for (; n < x.rows; ++n) add_row(x.row(n) + f, y + f, width);
  }
}

void column_sum_range(View x, float* y, int64_t begin, int64_t end) {
  with_type(x.dtype, [&]<class T>(T) HWY_ATTR { sum_columns(x.as<T>(), y, begin, end); });
}

// Reads four quarters at a time: memory serves several streams faster than one.
double square_sum(const float* x, int64_t n) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto square = [&](int64_t i, auto sum) HWY_ATTR {
    const auto v = hn::PromoteTo(d, hn::LoadU(df, x + i));
    return hn::MulAdd(v, v, sum);
  };
  auto sum0 = hn::Zero(d), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  const int64_t quarter = n / (4 * lanes) * lanes;
  for (int64_t j = 0; j < quarter; j += lanes) {
    sum0 = square(j, sum0);
    sum1 = square(quarter + j, sum1);
    sum2 = square(2 * quarter + j, sum2);
    sum3 = square(3 * quarter + j, sum3);
  }
  int64_t i = 4 * quarter;
  for (; i + lanes <= n; i += lanes) sum0 = square(i, sum0);
  const auto both = hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3));
  double sum = hn::GetLane(hn::SumOfLanes(d, both));
  for (; i < n; ++i) sum += double{x[i]} * double{x[i]};
  return sum;
}

// Finds the maximum block by block, then its index in the first block that contains it.
int32_t argmax(const float* x, int64_t n) {
  constexpr int64_t kBlock = 2048;
  float best = -std::numeric_limits<float>::infinity();
  int64_t best_begin = 0;
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const float top = max_of(x + begin, std::min(kBlock, n - begin));
    if (top > best) {
      best = top;
      best_begin = begin;
    }
  }
  const FloatTag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = best_begin;
  for (; i + lanes <= n; i += lanes) {
    const auto found = hn::Eq(hn::LoadU(d, x + i), hn::Set(d, best));
    if (!hn::AllFalse(d, found)) return static_cast<int32_t>(i + hn::FindFirstTrue(d, found));
  }
  for (; i < n; ++i) {
    if (x[i] == best) return static_cast<int32_t>(i);
  }
  return 0;  // all NaN
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(column_sum_range);
HWY_EXPORT(square_sum);
HWY_EXPORT(argmax);

void run(const ColumnSum& k) {
  if (!is_fast(k.x)) return ref::run(k);
  if (k.x.rows == 0) return;
  constexpr int64_t kTogether = 64;
  const int64_t grain = kTogether * (1 + kThreadWork / (kTogether * k.x.rows));
  parallel_for(k.x.cols, grain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(column_sum_range)(k.x, k.y.as<float>().data, begin, end);
  });
}

void run(const SumOfSquares& k) {
  if (!is_float(k.x)) return ref::run(k);
  // The size of parts depends on the shape only; their sums are added in order.
  const Floats x = k.x.as<float>();
  const bool flat = x.is_dense();
  const int64_t length = flat ? x.size() : x.cols;
  const int64_t part = 2 * kThreadWork, parts = (length + part - 1) / part;
  std::vector<double> sums(static_cast<size_t>(parts * (flat ? 1 : x.rows)));
  for_each_row(std::ssize(sums), std::min(part, length), [&](int64_t i) {
    const int64_t from = i % parts * part;
    sums[i] =
        HWY_DYNAMIC_DISPATCH(square_sum)(x.row(i / parts) + from, std::min(part, length - from));
  });
  *k.sum = 0;
  for (const double sum : sums) *k.sum += sum;
}

void run(const RowArgmax& k) {
  if (!is_float(k.x)) return ref::run(k);
  for_each_row(k.x.rows, k.x.cols, [&](int64_t n) {
    k.index[n] = HWY_DYNAMIC_DISPATCH(argmax)(k.x.as<float>().row(n), k.x.cols);
  });
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
