#include "weft/kernels/cpu/products/packed_rows.h"

#include <bit>
#include <cstring>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/products/packed_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/activation-inl.h"
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

// The integers nearest to x, |x| < 2^22, ties to even: adding 1.5 * 2^23 leaves them in the lowest
// bits. NearestInt also handles values that no int32_t holds, which takes longer.
template <class D>
HWY_INLINE hn::Vec<hn::RebindToSigned<D>> nearest_integers(D d, hn::Vec<D> x) {
  const hn::RebindToSigned<D> di;
  const auto shift = hn::Set(d, 12582912.0f);
  return hn::Sub(hn::BitCast(di, hn::Add(x, shift)), hn::BitCast(di, shift));
}

// A row is scale * q, q = round(factor * x); factor is 0 where all q are 0. See QuantiseRows.
struct RowScale {
  float factor, scale;
};

HWY_INLINE RowScale scale_of(const float* x, int64_t n) {
  const float top = largest(x, n);
  if (!(top <= std::numeric_limits<float>::max())) {
    return {0, std::numeric_limits<float>::quiet_NaN()};
  }
  return top < 1e-30f ? RowScale{0, 0} : RowScale{127 / top, top / 127};
}

// Returns the scale. `flip` is 0, or 128 to add 128.
HWY_INLINE float quantise(const float* x, int64_t n, uint8_t flip, int8_t* q) {
  const RowScale row = scale_of(x, n);
  if (row.factor == 0) {
    std::memset(q, flip, static_cast<size_t>(n));
    return row.scale;
  }
  for_lanes(n, [&](auto d, int64_t i) HWY_ATTR {
    const hn::Rebind<int8_t, decltype(d)> d8;
    const auto scaled = hn::Mul(hn::LoadU(d, x + i), hn::Set(d, row.factor));
    const auto bytes = hn::DemoteTo(d8, nearest_integers(d, scaled));
    hn::StoreU(hn::Xor(bytes, hn::Set(d8, static_cast<int8_t>(flip))), d8, q + i);
  });
  return row.scale;
}

constexpr int64_t round_up_to_words(int64_t n) { return (n + 3) / 4 * 4; }

// As quantise(), to RowForm::kI16, zero-padded to whole words of four columns.
HWY_INLINE float quantise_pairs(const float* x, int64_t n, int16_t* q) {
  const RowScale row = scale_of(x, n);
  if (row.factor == 0) {
    std::memset(q, 0, static_cast<size_t>(round_up_to_words(n)) * sizeof(*q));
    return row.scale;
  }
  int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::Full128<float> d;
  const hn::Repartition<int16_t, decltype(d)> d16;
  const auto whole = [&](int64_t column) HWY_ATTR {
    return nearest_integers(d, hn::Mul(hn::LoadU(d, x + column), hn::Set(d, row.factor)));
  };
  alignas(16) constexpr uint8_t kOrder[16] = {0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15};
  const auto order = hn::BitCast(d16, hn::Load(hn::Full128<uint8_t>(), kOrder));
  for (; i + 8 <= n; i += 8) {
    const auto columns = hn::ReorderDemote2To(d16, whole(i), whole(i + 4));
    hn::StoreU(hn::TableLookupBytes(columns, order), d16, q + i);
  }
#endif
  const OneFloatTag one;
  if (i < n) std::memset(q + i, 0, static_cast<size_t>(round_up_to_words(n) - i) * sizeof(*q));
  for (; i < n; ++i) {
    const auto scaled = hn::Mul(hn::LoadU(one, x + i), hn::Set(one, row.factor));
    q[(i & ~3) | (i & 1) << 1 | (i >> 1 & 1)] =
        static_cast<int16_t>(hn::GetLane(nearest_integers(one, scaled)));
  }
  return row.scale;
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

HWY_INLINE void prepare_row(RowForm form, Floats row, int64_t width, std::byte* to, float* scale) {
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
      *scale = quantise_pairs(x, n, padded(reinterpret_cast<int16_t*>(to)));
      return;
  }
}

void prepare(RowForm form, Floats x, int64_t width, const PreparedRows& to) {
  for (int64_t i = 0; i < x.rows; ++i) {
    prepare_row(form, x.range(i, i + 1), width, to.data + i * to.stride,
                to.scales ? to.scales + i : nullptr);
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

HWY_EXPORT(prepare);
HWY_EXPORT(finish);
HWY_EXPORT(quantise_row);

void prepare_rows(RowForm form, Floats x, int64_t width, const PreparedRows& to) {
  HWY_DYNAMIC_DISPATCH(prepare)(form, x, width, to);
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
