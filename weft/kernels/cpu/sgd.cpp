#include "weft/kernels/sgd.h"

#include "weft/kernels/cpu/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/sgd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/new_weights-inl.h"

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
    store_new_weights(d, a, i, step);
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
