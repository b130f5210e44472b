#include "weft/kernels/sgd.h"

#include "weft/kernels/cpu/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/sgd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

void sgd_range(const Sgd& a, int64_t begin, int64_t end) {
  for_lanes(end - begin, [&a, begin](auto d, int64_t offset) HWY_ATTR {
    const int64_t i = begin + offset;
    const auto momentum = hn::Set(d, a.momentum);
    const auto g = hn::Mul(hn::LoadU(d, a.gradient + i), hn::Set(d, a.gradient_scale));
    const auto m = hn::MulAdd(momentum, hn::LoadU(d, a.m + i), g);
    hn::StoreU(m, d, a.m + i);
    const auto step = a.nesterov ? hn::MulAdd(momentum, m, g) : m;
    const auto old = hn::LoadU(d, a.weights + i);
    const auto decayed = hn::NegMulAdd(old, hn::Set(d, a.weight_decay), old);
    const auto weight = hn::NegMulAdd(step, hn::Set(d, a.learn_rate), decayed);
    hn::StoreU(weight, d, a.weights + i);
    if (a.rounded) store(weight, d, a.rounded + i);
    if (!a.ema) return;
    const auto kept = hn::Mul(hn::LoadU(d, a.ema + i), hn::Set(d, a.ema_decay));
    hn::StoreU(hn::MulAdd(weight, hn::Set(d, 1 - a.ema_decay), kept), d, a.ema + i);
  });
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(sgd_range);

void run(const Sgd& a) {
  parallel_for(a.n, kThreadWork, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(sgd_range)(a, begin, end);
  });
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
