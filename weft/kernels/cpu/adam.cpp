#include "weft/kernels/cpu/adam.h"

#include "weft/kernels/cpu/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/adam.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

// low + (high - low) share
template <class D, class V = hn::Vec<D>>
HWY_INLINE V mix(D d, V high, V low, float share) {
  return hn::MulAdd(high, hn::Set(d, share), hn::Mul(low, hn::Set(d, 1 - share)));
}

void adam_range(const Adam& a, int64_t begin, int64_t end) {
  for_lanes(end - begin, [&a, begin](auto d, int64_t offset) HWY_ATTR {
    const int64_t i = begin + offset;
    const auto g = hn::Mul(hn::LoadU(d, a.gradient + i), hn::Set(d, a.gradient_scale));
    const auto first = mix(d, hn::LoadU(d, a.first + i), g, a.beta1);
    const auto second = mix(d, hn::LoadU(d, a.second + i), hn::Mul(g, g), a.beta2);
    hn::StoreU(first, d, a.first + i);
    hn::StoreU(second, d, a.second + i);
    const auto root = hn::Sqrt(hn::Mul(second, hn::Set(d, a.second_correction)));
    const auto step = hn::Div(first, hn::Add(root, hn::Set(d, a.epsilon)));
    const auto old = hn::LoadU(d, a.weights + i);
    const auto decayed = hn::NegMulAdd(old, hn::Set(d, a.weight_decay), old);
    const auto weight = hn::NegMulAdd(step, hn::Set(d, a.learn_rate), decayed);
    hn::StoreU(weight, d, a.weights + i);
    if (a.rounded) store(weight, d, a.rounded + i);
    if (!a.average) return;
    hn::StoreU(mix(d, hn::LoadU(d, a.average + i), weight, a.average_decay), d, a.average + i);
  });
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(adam_range);

void adam(const Adam& a) {
  parallel_for(a.n, kThreadWork, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(adam_range)(a, begin, end);
  });
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
