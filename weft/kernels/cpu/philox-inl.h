// Dropout draws in SIMD: the Philox formula of backend.h for 128 features at a time.
#if defined(WEFT_KERNELS_CPU_PHILOX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_CPU_PHILOX_INL_H_
#undef WEFT_KERNELS_CPU_PHILOX_INL_H_
#else
#define WEFT_KERNELS_CPU_PHILOX_INL_H_
#endif

#include <hwy/highway.h>

#include "weft/kernels/backend.h"
#include "weft/kernels/ref/dropout.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr int64_t kDropoutChunk = 128;  // features that share 16 Philox blocks

// dropout_factors(d, n, chunk, factors): factors[i] = the factor of feature 128 * chunk + i of
// row n, for i in 0..127: 0 where it is dropped, else 65536 / (65536 - threshold). `factors` is
// aligned to 64 bytes.
#if HWY_TARGET == HWY_SCALAR

HWY_INLINE void dropout_factors(const Dropout& dropout, int64_t n, int64_t chunk,
                                float* HWY_RESTRICT factors) {
  for (int64_t i = 0; i < kDropoutChunk; ++i) {
    factors[i] = ref::dropout_factor<float>(dropout, n, kDropoutChunk * chunk + i);
  }
}

#else

// Philox on vectors, each 32-bit number alone in the low half of a 64-bit lane: a multiplication
// then needs no shuffles, and what stands in the high halves is ignored.
template <class D64, class V = hn::Vec<D64> >
HWY_INLINE void philox_lanes(D64 d, PhiloxKey key, V& c0, V& c1, V& c2, V& c3) {
  const auto multiply = [d](V x, uint32_t by) HWY_ATTR {
    const hn::Repartition<uint32_t, D64> d32;
    return hn::MulEven(hn::BitCast(d32, x), hn::BitCast(d32, hn::Set(d, uint64_t{by})));
  };
  for (int round = 0; round < 10; ++round) {
    const V p0 = multiply(c0, kPhiloxMultiplier0);
    const V p1 = multiply(c2, kPhiloxMultiplier1);
    c0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(p1), c1), hn::Set(d, uint64_t{key[0]}));
    c2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(p0), c3), hn::Set(d, uint64_t{key[1]}));
    c1 = p1;
    c3 = p0;
    key[0] += kPhiloxWeyl0;
    key[1] += kPhiloxWeyl1;
  }
}

// The low halves of `even` in the even lanes, those of `odd` in the odd ones.
template <class D32, class V64>
HWY_INLINE hn::Vec<D32> join_halves(D32 d, V64 even, V64 odd) {
  return hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(odd)), hn::BitCast(d, even));
}

HWY_INLINE void dropout_factors(const Dropout& dropout, int64_t n, int64_t chunk,
                                float* HWY_RESTRICT factors) {
  const hn::CappedTag<uint32_t, 16> d32;
  const hn::Repartition<uint64_t, decltype(d32)> d64;
  const hn::Repartition<float, decltype(d32)> df;
  const hn::Repartition<int32_t, decltype(d32)> di;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d32));
  const auto last_dropped = hn::Set(di, static_cast<int32_t>(dropout.threshold) - 1);
  const auto low = hn::Set(d32, 0xFFFFu);
  const auto kept = hn::Set(df, 65536.0f / static_cast<float>(65536 - dropout.threshold));
  for (int64_t part = 0; part < 16; part += lanes) {
    const auto block = hn::Iota(d32, static_cast<uint32_t>(16 * chunk + part));
    auto e0 = hn::Set(d64, uint64_t{dropout.site}), o0 = e0;
    auto e1 = hn::Set(d64, uint64_t{static_cast<uint32_t>(dropout.sentence[n])}), o1 = e1;
    auto e2 = hn::Set(d64, uint64_t{static_cast<uint32_t>(dropout.position[n])}), o2 = e2;
    auto e3 = hn::BitCast(d64, block), o3 = hn::ShiftRight<32>(e3);
    philox_lanes(d64, dropout.key, e0, e1, e2, e3);
    philox_lanes(d64, dropout.key, o0, o1, o2, o3);
    const auto store = [&](int64_t word, auto even, auto odd) HWY_ATTR {
      const auto draws = join_halves(d32, even, odd);
      const auto first = hn::Gt(hn::BitCast(di, hn::And(draws, low)), last_dropped);
      const auto second = hn::Gt(hn::BitCast(di, hn::ShiftRight<16>(draws)), last_dropped);
      float* to = factors + 32 * word + part;
      hn::Store(hn::IfThenElseZero(hn::RebindMask(df, first), kept), df, to);
      hn::Store(hn::IfThenElseZero(hn::RebindMask(df, second), kept), df, to + 16);
    };
    store(0, e0, o0);
    store(1, e1, o1);
    store(2, e2, o2);
    store(3, e3, o3);
  }
}

#endif  // HWY_SCALAR

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_CPU_PHILOX_INL_H_
