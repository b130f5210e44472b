// Signed bytes, four to a word, as pairs of 16 bits.
#if defined(WEFT_KERNELS_CPU_BYTE_PAIRS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_CPU_BYTE_PAIRS_INL_H_
#undef WEFT_KERNELS_CPU_BYTE_PAIRS_INL_H_
#else
#define WEFT_KERNELS_CPU_BYTE_PAIRS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Bytes kFirst and kFirst + 2 of each word; kFirst is 0 or 1.
template <int kFirst, class D>
HWY_INLINE hn::Vec<D> byte_pairs(D d, hn::Vec<D> words) {
#if HWY_TARGET == HWY_SCALAR
  const int32_t word = hn::GetLane(words);
  const int32_t low = static_cast<int8_t>(word >> (8 * kFirst));
  const int32_t high = static_cast<int8_t>(word >> (8 * kFirst + 16));
  return hn::Set(d, high * 65536 + (low & 0xFFFF));
#else
  const hn::Repartition<int16_t, D> d16;
  auto pairs = hn::BitCast(d16, words);
  if constexpr (kFirst == 0) pairs = hn::ShiftLeft<8>(pairs);
  return hn::BitCast(d, hn::ShiftRight<8>(pairs));
#endif
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_CPU_BYTE_PAIRS_INL_H_
