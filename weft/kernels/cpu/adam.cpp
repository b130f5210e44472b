#include "weft/kernels/adam.h"

#include "weft/kernels/cpu/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/adam.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/new_weights-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

void adam_range(const Adam& a, int64_t begin, int64_t end) {
  for_lanes(end - begin, [&a, begin](auto d, int64_t offset) HWY_ATTR {
    const int64_t i = begin + offset;
    const auto g = hn::Mul(hn::LoadU(d, a.gradient + i), hn::Set(d, a.gradient_scale));
    const auto m = mix(d, hn::LoadU(d, a.m + i), g, a.beta1);
    const auto v = mix(d, hn::LoadU(d, a.v + i), hn::Mul(g, g), a.beta2);
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
