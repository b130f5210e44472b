// What the steps of all optimisers end with.
#if defined(WEFT_KERNELS_CPU_NEW_WEIGHTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_CPU_NEW_WEIGHTS_INL_H_
#undef WEFT_KERNELS_CPU_NEW_WEIGHTS_INL_H_
#else
#define WEFT_KERNELS_CPU_NEW_WEIGHTS_INL_H_
#endif

#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

// low + (high - low) fraction
template <class D, class V = hn::Vec<D>>
HWY_INLINE V mix(D d, V high, V low, float fraction) {
  return hn::MulAdd(high, hn::Set(d, fraction), hn::Mul(low, hn::Set(d, 1 - fraction)));
}

// Writes the moving averages of weights i, ...
template <class D, class Call>
HWY_INLINE void store_new_average(D d, const Call& a, int64_t i, hn::Vec<D> weight,
                                  hn::Vec<D> average) {
  const auto distance = hn::Sub(weight, average);
  hn::StoreU(hn::MulAdd(distance, hn::Set(d, 1 - a.ema_decay), average), d, a.ema + i);
}

// Writes weights i, ... of an optimiser's call after a step, decayed, and their copies.
template <class D, class Call>
HWY_INLINE void store_new_weights(D d, const Call& a, int64_t i, hn::Vec<D> step) {
  const auto old = hn::LoadU(d, a.weights + i);
  const auto decayed = hn::NegMulAdd(old, hn::Set(d, a.weight_decay), old);
  const auto weight = hn::NegMulAdd(step, hn::Set(d, a.learn_rate), decayed);
  hn::StoreU(weight, d, a.weights + i);
  if (a.rounded) store(weight, d, a.rounded + i);
  if (a.ema) store_new_average(d, a, i, weight, hn::LoadU(d, a.ema + i));
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_CPU_NEW_WEIGHTS_INL_H_
