#include "weft/kernels/cpu/packed_rows.h"

#include <bit>
#include <cstring>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/packed_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/activation-inl.h"
#include "weft/kernels/cpu/byte_pairs-inl.h"
#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

// max|x|, or NaN if there is one. Magnitudes are ordered like their bits.
HWY_INLINE float largest(const float* x, int64_t n) {
  const FloatTag d;
  const hn::RebindToSigned<FloatTag> di;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto magnitude = hn::Set(di, 0x7FFFFFFF);
  const auto magnitude_at = [&](int64_t i) HWY_ATTR {
    return hn::And(hn::BitCast(di, hn::LoadU(d, x + i)), magnitude);
  };
  auto top0 = hn::Zero(di), top1 = top0, top2 = top0, top3 = top0;
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    top0 = hn::Max(top0, magnitude_at(i));
    top1 = hn::Max(top1, magnitude_at(i + lanes));
    top2 = hn::Max(top2, magnitude_at(i + 2 * lanes));
    top3 = hn::Max(top3, magnitude_at(i + 3 * lanes));
  }
  for (; i + lanes <= n; i += lanes) top0 = hn::Max(top0, magnitude_at(i));
  top0 = hn::Max(hn::Max(top0, top1), hn::Max(top2, top3));
  int32_t top = hn::GetLane(hn::MaxOfLanes(di, top0));
  for (; i < n; ++i) top = std::max(top, std::bit_cast<int32_t>(x[i]) & 0x7FFFFFFF);
  return std::bit_cast<float>(top);
}

// See QuantiseRows. Returns the scale. `flip` is 0, or 128 to add 128.
HWY_INLINE float quantise(const float* x, int64_t n, uint8_t flip, int8_t* q) {
  const float top = largest(x, n);
  const bool is_finite = top <= std::numeric_limits<float>::max();
  if (!is_finite || top < 1e-30f) {
    std::memset(q, flip, static_cast<size_t>(n));
    return is_finite ? 0 : std::numeric_limits<float>::quiet_NaN();
  }
  const float factor = 127 / top;
  for_lanes(n, [&](auto d, int64_t i) HWY_ATTR {
    const hn::Rebind<int8_t, decltype(d)> d8;
    const auto whole = hn::NearestInt(hn::Mul(hn::LoadU(d, x + i), hn::Set(d, factor)));
    const auto bytes = hn::DemoteTo(d8, whole);
    hn::StoreU(hn::Xor(bytes, hn::Set(d8, static_cast<int8_t>(flip))), d8, q + i);
  });
  return top / 127;
}

// Converts n bytes, a multiple of 16, to RowForm::kI16. `bytes` may be the upper half of `to`.
HWY_INLINE void widen_bytes(const int8_t* bytes, int64_t n, int16_t* to) {
  const hn::CappedTag<int32_t, 4> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < n; i += 4 * lanes) {
    int32_t words[4];
    std::memcpy(words, bytes + i, static_cast<size_t>(4 * lanes));
    const auto x = hn::LoadU(d, words);
    hn::StoreInterleaved2(byte_pairs<0>(d, x), byte_pairs<1>(d, x), d,
                          reinterpret_cast<int32_t*>(to + i));
  }
}

HWY_INLINE void round_row(const float* x, int64_t n, BF16* y) {
  for_lanes(n, [=](auto d, int64_t i) HWY_ATTR { store(hn::LoadU(d, x + i), d, y + i); });
}

HWY_INLINE void round_row(const float* x, int64_t n, float* y) {
  for_lanes(n, [=](auto d, int64_t i) HWY_ATTR {
    BF16 rounded[HWY_MAX_BYTES / sizeof(float)];
    store(hn::LoadU(d, x + i), d, rounded);
    hn::StoreU(load(d, rounded), d, y + i);
  });
}

void prepare_row(RowForm form, Floats row, int64_t width, std::byte* to, float* scale) {
  const float* x = row.data;
  const int64_t n = row.cols;
  const auto padded = [&](auto* y) HWY_ATTR {
    std::memset(static_cast<void*>(y + n), 0, static_cast<size_t>(width - n) * sizeof(*y));
    return y;
  };
  auto* const bytes = reinterpret_cast<int8_t*>(to);
  switch (form) {
    case RowForm::kFloats: return;
    case RowForm::kRounded: return round_row(x, n, padded(reinterpret_cast<float*>(to)));
    case RowForm::kBF16: return round_row(x, n, padded(reinterpret_cast<BF16*>(to)));
    case RowForm::kI8: *scale = quantise(x, n, 0, padded(bytes)); return;
    case RowForm::kU8: *scale = quantise(x, n, 128, padded(bytes)); return;
    case RowForm::kI16:
      *scale = quantise(x, n, 0, padded(bytes + width));
      return widen_bytes(bytes + width, width, reinterpret_cast<int16_t*>(to));
  }
}

template <class A>
HWY_INLINE void finish_row(const PackedResult& r, int64_t row) {
  const float* sums = static_cast<const float*>(r.sums) + row * r.sums_stride;
  const int32_t* integers = static_cast<const int32_t*>(r.sums) + row * r.sums_stride;
  float* y = r.y.row(row);
  const float x_scale = r.x_scales ? r.x_scales[row] : 0;
  for_lanes(r.y.cols, [&](auto d, int64_t i) HWY_ATTR {
    const hn::RebindToSigned<decltype(d)> di;
    auto v = hn::Zero(d);
    if (r.x_scales) {
      const auto scale = hn::Mul(hn::Set(d, x_scale), hn::LoadU(d, r.w_scales + i));
      v = hn::Mul(hn::ConvertTo(d, hn::LoadU(di, integers + i)), scale);
    } else {
      v = hn::LoadU(d, sums + i);
    }
    if (r.bias) v = hn::Add(v, hn::LoadU(d, r.bias + i));
    hn::StoreU(A::at(d, v).value, d, y + i);
  });
}

void finish(const PackedResult& r) {
  with_activation(r.activation, [&]<class A>(A) HWY_ATTR {
    for (int64_t row = 0; row < r.y.rows; ++row) finish_row<A>(r, row);
  });
}

float quantise_row(const float* x, int64_t n, int8_t* q) { return quantise(x, n, 0, q); }

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(prepare_row);
HWY_EXPORT(finish);
HWY_EXPORT(quantise_row);

void prepare_rows(RowForm form, Floats x, int64_t width, const PreparedRows& to) {
  for (int64_t i = 0; i < x.rows; ++i) {
    HWY_DYNAMIC_DISPATCH(prepare_row)
    (form, x.range(i, i + 1), width, to.data + i * to.stride, to.scales ? to.scales + i : nullptr);
  }
}

void finish_block(const PackedResult& r) { HWY_DYNAMIC_DISPATCH(finish)(r); }

void run(const QuantiseRows& k) {
  if (!is_float(k.w)) return ref::run(k);
  for_each_row(k.w.rows, k.w.cols, [&](int64_t i) {
    k.scales[i] = HWY_DYNAMIC_DISPATCH(quantise_row)(k.w.as<float>().row(i), k.w.cols,
                                                     k.q.as<int8_t>().row(i));
  });
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
