// Loops and functions on F32 vectors for SIMD kernels; elements in memory may be BF16. The order of
// a sum over a row depends on its length only, so the result of a row is bit-identical in any
// batch.
#if defined(WEFT_KERNELS_CPU_SIMD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_CPU_SIMD_INL_H_
#undef WEFT_KERNELS_CPU_SIMD_INL_H_
#else
#define WEFT_KERNELS_CPU_SIMD_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "weft/core/dtype.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using FewFloatsTag = hn::CappedTag<float, 4>;  // for the remainder of a row
using OneFloatTag = hn::CappedTag<float, 1>;

// Calls body(d, i) for whole vectors at i = 0, Lanes(d), ..., then for four elements, then for
// single ones.
template <class Body>
HWY_INLINE void for_lanes(int64_t n, Body body) {
  const FloatTag d;
  const FewFloatsTag few;
  const OneFloatTag one;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto few_lanes = static_cast<int64_t>(hn::Lanes(few));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) body(d, i);
  for (; i + few_lanes <= n; i += few_lanes) body(few, i);
  for (; i < n; ++i) body(one, i);
}

// Loads and stores convert between memory and F32 registers.
template <class D>
HWY_INLINE hn::Vec<D> load(D d, const float* x) {
  return hn::LoadU(d, x);
}

template <class D>
HWY_INLINE hn::Vec<D> load(D d, const BF16* x) {
  const hn::Rebind<uint32_t, D> d32;
  const hn::Rebind<uint16_t, D> d16;
  const auto bits = hn::PromoteTo(d32, hn::LoadU(d16, reinterpret_cast<const uint16_t*>(x)));
  return hn::BitCast(d, hn::ShiftLeft<16>(bits));
}

template <class D>
HWY_INLINE void store(hn::Vec<D> v, D d, float* y) {
  hn::StoreU(v, d, y);
}

// Rounds to nearest, ties to even. A NaN produced by arithmetic stays NaN.
template <class D>
HWY_INLINE void store(hn::Vec<D> v, D, BF16* y) {
  const hn::Rebind<uint32_t, D> d32;
  const hn::Rebind<int32_t, D> di;
  const hn::Rebind<uint16_t, D> d16;
  const auto bits = hn::BitCast(d32, v);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d32, 1));
  const auto rounded = hn::Add(bits, hn::Add(odd, hn::Set(d32, 0x7FFF)));
  const auto upper = hn::BitCast(di, hn::ShiftRight<16>(rounded));
  hn::StoreU(hn::DemoteTo(d16, upper), d16, reinterpret_cast<uint16_t*>(y));
}

// Calls body with a value of the element type: float or BF16.
template <class Body>
HWY_INLINE void with_type(DType type, Body body) {
  if (type == DType::kBF16) return body(BF16());
  body(float());
}

template <class D>
HWY_INLINE float sum_lanes(D d, hn::Vec<D> v) {
  return hn::GetLane(hn::SumOfLanes(d, v));
}

// Two sums in one pass over n elements: add(d, i, first, second) updates both accumulators.
template <class Add>
HWY_INLINE std::pair<float, float> sum_both(int64_t n, Add add) {
  const FloatTag d;
  const OneFloatTag one;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto first0 = hn::Zero(d), first1 = first0, first2 = first0, first3 = first0;
  auto second0 = first0, second1 = first0, second2 = first0, second3 = first0;
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    add(d, i, first0, second0);
    add(d, i + lanes, first1, second1);
    add(d, i + 2 * lanes, first2, second2);
    add(d, i + 3 * lanes, first3, second3);
  }
  for (; i + lanes <= n; i += lanes) add(d, i, first0, second0);
  auto first = hn::Zero(one), second = first;
  for (; i < n; ++i) add(one, i, first, second);
  const auto vectors = hn::Add(hn::Add(first0, first1), hn::Add(first2, first3));
  const auto others = hn::Add(hn::Add(second0, second1), hn::Add(second2, second3));
  return {sum_lanes(d, vectors) + hn::GetLane(first), sum_lanes(d, others) + hn::GetLane(second)};
}

// The sum of term(d, i) over n elements.
template <class Term>
HWY_INLINE float sum_over(int64_t n, Term term) {
  return sum_both(n, [&](auto d, int64_t i, auto& sum, auto&)
                         HWY_ATTR { sum = hn::Add(sum, term(d, i)); })
      .first;
}

// The largest of n >= 1 elements.
template <class T>
HWY_INLINE float max_of(const T* x, int64_t n) {
  const FloatTag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto top0 = hn::Set(d, -std::numeric_limits<float>::infinity());
  auto top1 = top0, top2 = top0, top3 = top0, top4 = top0, top5 = top0, top6 = top0, top7 = top0;
  int64_t i = 0;
  for (; i + 8 * lanes <= n; i += 8 * lanes) {
    top0 = hn::Max(top0, load(d, x + i));
    top1 = hn::Max(top1, load(d, x + i + lanes));
    top2 = hn::Max(top2, load(d, x + i + 2 * lanes));
    top3 = hn::Max(top3, load(d, x + i + 3 * lanes));
    top4 = hn::Max(top4, load(d, x + i + 4 * lanes));
    top5 = hn::Max(top5, load(d, x + i + 5 * lanes));
    top6 = hn::Max(top6, load(d, x + i + 6 * lanes));
    top7 = hn::Max(top7, load(d, x + i + 7 * lanes));
  }
  for (; i + lanes <= n; i += lanes) top0 = hn::Max(top0, load(d, x + i));
  top0 = hn::Max(hn::Max(top0, top1), hn::Max(top2, top3));
  top4 = hn::Max(hn::Max(top4, top5), hn::Max(top6, top7));
  float top = hn::GetLane(hn::MaxOfLanes(d, hn::Max(top0, top4)));
  for (; i < n; ++i) top = std::max(top, static_cast<float>(x[i]));
  return top;
}

// e^x to 2 ulp for x <= 88.3; 0 below -87.3, where results would be denormal; NaN stays NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp(D d, V x) {
  const hn::Rebind<int32_t, D> di;
  // Adding 1.5 * 2^23 + 127 rounds x / ln 2 to an integer, whose biased exponent is then in the
  // lowest bits.
  const auto shift = hn::Set(d, 12583039.0f);
  const auto shifted = hn::MulAdd(x, hn::Set(d, 1.44269504f), shift);
  const auto whole = hn::Sub(shifted, shift);
  const auto power = hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(di, shifted)));
  // ln 2 in two parts; the first has trailing zeros, so that its product is exact.
  auto r = hn::NegMulAdd(whole, hn::Set(d, 0.693359375f), x);
  r = hn::NegMulAdd(whole, hn::Set(d, -2.12194440e-4f), r);
  auto p = hn::MulAdd(r, hn::Set(d, 1.39262508e-3f), hn::Set(d, 8.36323288e-3f));
  p = hn::MulAdd(p, r, hn::Set(d, 4.16665542e-2f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.66665767e-1f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.5f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f));
  return hn::IfThenElse(hn::Lt(x, hn::Set(d, -87.3365f)), hn::Zero(d), hn::Mul(p, power));
}

// 1 / (1 + e^-x); not less than e^-88; NaN stays NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V sigmoid(D d, V x) {
  const auto one = hn::Set(d, 1.0f);
  const auto low = hn::Set(d, -88.0f);
  const auto inverse = exp(d, hn::Neg(hn::IfThenElse(hn::Lt(x, low), low, x)));
  return hn::Div(one, hn::Add(one, inverse));
}

// Accurate to 2e-7; by its series near 0, to keep the relative precision of small values.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V tanh(D d, V x) {
  const auto one = hn::Set(d, 1.0f);
  const auto far = hn::NegMulAdd(hn::Set(d, 2.0f), sigmoid(d, hn::Mul(hn::Set(d, -2.0f), x)), one);
  const auto square = hn::Mul(x, x);
  auto p = hn::MulAdd(square, hn::Set(d, -0.0539682540f), hn::Set(d, 0.133333333f));
  p = hn::MulAdd(p, square, hn::Set(d, -0.333333333f));
  const auto near = hn::MulAdd(hn::Mul(p, square), x, x);
  return hn::IfThenElse(hn::Lt(square, hn::Set(d, 0.0144f)), near, far);
}

// The cumulative standard normal distribution and e^(-x^2 / 2). The ratio of tail and density is a
// polynomial of u = 1 / (1 + 0.2687 |x|), accurate to 1e-7, which keeps the relative precision of
// far tails.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V normal_cdf(D d, V x, V& bell) {
  const auto one = hn::Set(d, 1.0f);
  bell = exp(d, hn::Mul(hn::Mul(x, x), hn::Set(d, -0.5f)));
  const auto u = hn::Div(one, hn::MulAdd(hn::Abs(x), hn::Set(d, 0.268700577f), one));
  auto p = hn::MulAdd(u, hn::Set(d, 2.96723732e-2f), hn::Set(d, -1.32103662e-1f));
  p = hn::MulAdd(p, u, hn::Set(d, 1.84013590e-1f));
  p = hn::MulAdd(p, u, hn::Set(d, -8.32172596e-2f));
  p = hn::MulAdd(p, u, hn::Set(d, 1.16800638e-1f));
  p = hn::MulAdd(p, u, hn::Set(d, 6.85359516e-2f));
  p = hn::MulAdd(p, u, hn::Set(d, 1.02161291e-1f));
  p = hn::MulAdd(p, u, hn::Set(d, 1.06929824e-1f));
  p = hn::MulAdd(p, u, hn::Set(d, 1.07207263e-1f));
  const auto tail = hn::Mul(hn::Mul(p, u), bell);
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), tail, hn::Sub(one, tail));
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_CPU_SIMD_INL_H_
