// Dropout draws in SIMD: the Philox formula of dropout.h for 128 features at a time.
#if defined(WEFT_KERNELS_CPU_PHILOX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_CPU_PHILOX_INL_H_
#undef WEFT_KERNELS_CPU_PHILOX_INL_H_
#else
#define WEFT_KERNELS_CPU_PHILOX_INL_H_
#endif

#include <hwy/highway.h>

#include "weft/kernels/cpu/dropout_columns.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// dropout_factors(d, n, chunk, factors): for i in 0..127, factors[i] is 0 if feature 128 * chunk +
// i of row n is dropped, else factor(). `factors` is aligned to 64 bytes.
//
// draw_columns(d, n, chunk, to) is dropout_columns() of dropout_columns.h on this target.

#if HWY_TARGET == HWY_SCALAR

inline HWY_NOINLINE void dropout_factors(const DropoutMask& dropout, int64_t n, int64_t chunk,
                                         float* HWY_RESTRICT factors) {
  for (int64_t i = 0; i < kDropoutChunk; ++i) {
    factors[i] = static_cast<float>(dropout.factor_at(n, kDropoutChunk * chunk + i));
  }
}

inline HWY_NOINLINE void draw_columns(const DropoutMask& dropout, int64_t n, int64_t chunk,
                                      const DropoutColumns& to) {
  for (int64_t i = 0; i < to.rows; ++i) {
    for (int64_t f = 0; f < kDropoutChunk; ++f) {
      to.factors[f * to.stride + i] =
          static_cast<float>(dropout.factor_at(n + i, kDropoutChunk * chunk + f));
    }
  }
}

#else

using PhiloxTag = hn::CappedTag<uint32_t, 16>;
using PhiloxWideTag = hn::Repartition<uint64_t, PhiloxTag>;
using PhiloxVector = hn::Vec<PhiloxWideTag>;

// Philox counters, then words: 32-bit numbers in the low halves of 64-bit lanes, so that
// multiplication needs no shuffles. The high halves are ignored.
struct PhiloxLanes {
  PhiloxVector c0, c1, c2, c3;
};

HWY_INLINE PhiloxVector philox_multiply(PhiloxVector x, uint32_t by) {
  const PhiloxTag d32;
  const PhiloxWideTag d64;
  return hn::MulEven(hn::BitCast(d32, x), hn::BitCast(d32, hn::Set(d64, uint64_t{by})));
}

HWY_INLINE PhiloxLanes philox_lanes(PhiloxLanes c, PhiloxKey key) {
  const PhiloxWideTag d;
  for (int round = 0; round < 10; ++round) {
    const auto p0 = philox_multiply(c.c0, kPhiloxMultiplier0);
    const auto p1 = philox_multiply(c.c2, kPhiloxMultiplier1);
    c.c0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(p1), c.c1), hn::Set(d, uint64_t{key[0]}));
    c.c2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(p0), c.c3), hn::Set(d, uint64_t{key[1]}));
    c.c1 = p1;
    c.c3 = p0;
    key[0] += kPhiloxWeyl0;
    key[1] += kPhiloxWeyl1;
  }
  return c;
}

// Factors of 16-bit draws: 0 if below the threshold.
HWY_INLINE hn::Vec<hn::Repartition<float, PhiloxTag> > kept_factors(hn::Vec<PhiloxTag> draws,
                                                                    const DropoutMask& dropout) {
  const hn::Repartition<int32_t, PhiloxTag> di;
  const hn::Repartition<float, PhiloxTag> df;
  const auto last_dropped = hn::Set(di, static_cast<int32_t>(dropout.threshold) - 1);
  const auto is_kept = hn::Gt(hn::BitCast(di, draws), last_dropped);
  const auto kept = hn::Set(df, static_cast<float>(dropout.factor()));
  return hn::IfThenElseZero(hn::RebindMask(df, is_kept), kept);
}

// For {stream, sequence, position, block} in the lanes: store(j, factors) for each of the eight
// groups j of features that share the block.
template <class V, class Store>
HWY_INLINE void draw_factors(const DropoutMask& dropout, V sequence, V position, V block,
                             Store store) {
  const PhiloxTag d32;
  const PhiloxWideTag d64;
  const auto stream = hn::Set(d64, uint64_t{dropout.stream});
  const auto s = hn::BitCast(d64, sequence), p = hn::BitCast(d64, position);
  const auto b = hn::BitCast(d64, block);
  const PhiloxLanes even = philox_lanes({stream, s, p, b}, dropout.key);
  const PhiloxLanes odd = philox_lanes(
      {stream, hn::ShiftRight<32>(s), hn::ShiftRight<32>(p), hn::ShiftRight<32>(b)}, dropout.key);
  const auto store_word = [&](int64_t word, PhiloxVector e, PhiloxVector o) HWY_ATTR {
    const auto draws = hn::OddEven(hn::BitCast(d32, hn::ShiftLeft<32>(o)), hn::BitCast(d32, e));
    store(2 * word, kept_factors(hn::And(draws, hn::Set(d32, 0xFFFFu)), dropout));
    store(2 * word + 1, kept_factors(hn::ShiftRight<16>(draws), dropout));
  };
  store_word(0, even.c0, odd.c0);
  store_word(1, even.c1, odd.c1);
  store_word(2, even.c2, odd.c2);
  store_word(3, even.c3, odd.c3);
}

inline HWY_NOINLINE void dropout_factors(const DropoutMask& dropout, int64_t n, int64_t chunk,
                                         float* HWY_RESTRICT factors) {
  const PhiloxTag d;
  const hn::Repartition<float, PhiloxTag> df;
  const auto sequence = hn::Set(d, static_cast<uint32_t>(dropout.sequence[n]));
  const auto position = hn::Set(d, static_cast<uint32_t>(dropout.position[n]));
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t part = 0; part < 16; part += lanes) {
    const auto block = hn::Iota(d, static_cast<uint32_t>(16 * chunk + part));
    draw_factors(dropout, sequence, position, block,
                 [&](int64_t j, auto f) HWY_ATTR { hn::Store(f, df, factors + 16 * j + part); });
  }
}

inline HWY_NOINLINE void draw_columns(const DropoutMask& dropout, int64_t n, int64_t chunk,
                                      const DropoutColumns& to) {
  const PhiloxTag d;
  const hn::Repartition<float, PhiloxTag> df;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < to.rows; i += lanes) {
    alignas(64) uint32_t sequences[16] = {}, positions[16] = {};
    for (int64_t lane = 0; lane < lanes && i + lane < to.rows; ++lane) {
      sequences[lane] = static_cast<uint32_t>(dropout.sequence[n + i + lane]);
      positions[lane] = static_cast<uint32_t>(dropout.position[n + i + lane]);
    }
    const auto sequence = hn::Load(d, sequences), position = hn::Load(d, positions);
    for (int64_t r = 0; r < 16; ++r) {
      const auto block = hn::Set(d, static_cast<uint32_t>(16 * chunk + r));
      draw_factors(dropout, sequence, position, block, [&](int64_t j, auto f) HWY_ATTR {
        hn::Store(f, df, to.factors + (16 * j + r) * to.stride + i);
      });
    }
  }
}

#endif  // HWY_SCALAR

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_CPU_PHILOX_INL_H_
