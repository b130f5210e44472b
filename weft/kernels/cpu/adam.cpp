#include "weft/kernels/adam.h"

#include "weft/kernels/cpu/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/adam.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/new_weights-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

// Weights i, ..., whose gradients and moments are zero, such as rows of a table for tokens that
// have not occurred, stay as they are, and so do their copies: nothing is written that was not
// changed.
template <class D>
HWY_INLINE void keep_weights(D d, const Adam& a, int64_t i) {
  if (!a.ema) return;
  const auto weight = hn::LoadU(d, a.weights + i), average = hn::LoadU(d, a.ema + i);
  if (!hn::AllTrue(d, hn::Eq(weight, average))) store_new_average(d, a, i, weight, average);
}

void adam_range(const Adam& a, int64_t begin, int64_t end) {
  for_lanes(end - begin, [&a, begin](auto d, int64_t offset) HWY_ATTR {
    const int64_t i = begin + offset;
    const auto gradient = hn::LoadU(d, a.gradient + i);
    const auto old_m = hn::LoadU(d, a.m + i), old_v = hn::LoadU(d, a.v + i);
    const hn::RebindToUnsigned<decltype(d)> bits;
    const auto any = hn::Or(hn::Or(hn::BitCast(bits, gradient), hn::BitCast(bits, old_m)),
                            hn::BitCast(bits, old_v));
    if (a.weight_decay == 0 && hn::AllTrue(bits, hn::Eq(any, hn::Zero(bits)))) {
      return keep_weights(d, a, i);
    }
    const auto g = hn::Mul(gradient, hn::Set(d, a.gradient_scale));
    const auto m = mix(d, old_m, g, a.beta1);
    const auto v = mix(d, old_v, hn::Mul(g, g), a.beta2);
    hn::StoreU(m, d, a.m + i);
    hn::StoreU(v, d, a.v + i);
    const auto root = hn::Sqrt(hn::Mul(v, hn::Set(d, a.v_correction)));
    const auto step = hn::Div(m, hn::Add(root, hn::Set(d, a.epsilon)));
    store_new_weights(d, a, i, step);
  });
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(adam_range);

void run(const Adam& a) {
  parallel_for(a.n, kThreadWork, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(adam_range)(a, begin, end);
  });
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
