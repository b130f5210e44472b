#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/packed_lines.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "weft/kernels/cpu/packed_kernel.h"
#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

using LineTag = hn::CappedTag<float, 16>;
using WordTag = hn::RebindToSigned<LineTag>;
using LineVec = hn::Vec<LineTag>;
using WordVec = hn::Vec<WordTag>;
inline constexpr int64_t kLanes = HWY_LANES(float) < 16 ? HWY_LANES(float) : 16;
inline constexpr int kVectors = static_cast<int>(16 / kLanes);  // to a line

// Accumulators take 24 of AVX-512's 32 registers, 12 of 16 elsewhere.
inline constexpr int kMostRows = kLanes == 16 ? 8 : kLanes == 8 ? 6 : 1;
constexpr int panels_for(int rows) {
  if (kLanes == 1) return 1;
  return kLanes == 16 ? std::min(8, 24 / rows) : std::max(1, std::min(4, 6 / rows));
}

// A step of the depth: how a vector of a line and what is broadcast of a row meet in a sum. Sums
// grow in the order of the depth, whatever the block.
struct FloatLines {
  using Sum = LineVec;
  using Line = LineVec;
  using Row = LineVec;
  static constexpr int64_t kRowBytes = 4;  // of a row to a line
  static HWY_INLINE Sum zero() { return hn::Zero(LineTag()); }
  static HWY_INLINE Line line(const void* at) {
    return hn::LoadU(LineTag(), static_cast<const float*>(at));
  }
  static HWY_INLINE Row row(const void* at) {
    return hn::Set(LineTag(), *static_cast<const float*>(at));
  }
  static HWY_INLINE Sum add(Row x, Line w, Sum sum) { return hn::MulAdd(x, w, sum); }
};

struct Bf16Lines {
  using Sum = LineVec;
  struct Line {
    LineVec even, odd;
  };
  using Row = Line;
  static constexpr int64_t kRowBytes = 8;
  static HWY_INLINE Sum zero() { return hn::Zero(LineTag()); }
  static HWY_INLINE Line line(const void* at) {
    const LineTag d;
    const WordTag di;
    const auto words = hn::LoadU(di, static_cast<const int32_t*>(at));
    return {hn::BitCast(d, hn::ShiftLeft<16>(words)),
            hn::BitCast(d, hn::And(words, hn::Set(di, static_cast<int32_t>(0xFFFF0000u))))};
  }
  static HWY_INLINE Row row(const void* at) {
    const auto* x = static_cast<const float*>(at);
    return {hn::Set(LineTag(), x[0]), hn::Set(LineTag(), x[1])};
  }
  static HWY_INLINE Sum add(const Row& x, const Line& w, Sum sum) {
    return hn::MulAdd(x.odd, w.odd, hn::MulAdd(x.even, w.even, sum));
  }
};

// Bytes as pairs of 16 bits, sign and all: those of even and of odd columns.
struct IntegerLines {
  using Sum = WordVec;
  struct Line {
    WordVec even, odd;
  };
  using Row = Line;
  static constexpr int64_t kRowBytes = 4;
  static HWY_INLINE Sum zero() { return hn::Zero(WordTag()); }
  template <class D>
  static HWY_INLINE Line split(D di, hn::Vec<D> words) {
    if constexpr (kLanes == 1) {
      return {words, words};
    } else {
      const hn::Repartition<int16_t, D> d16;
      const auto pairs = hn::BitCast(d16, words);
      return {hn::BitCast(di, hn::ShiftRight<8>(hn::ShiftLeft<8>(pairs))),
              hn::BitCast(di, hn::ShiftRight<8>(pairs))};
    }
  }
  static HWY_INLINE Line line(const void* at) {
    return split(WordTag(), hn::LoadU(WordTag(), static_cast<const int32_t*>(at)));
  }
  static HWY_INLINE Row row(const void* at) {
    int32_t word = 0;
    std::memcpy(&word, at, sizeof(word));
    return split(WordTag(), hn::Set(WordTag(), word));
  }
  static HWY_INLINE Sum add(const Row& x, const Line& w, Sum sum) {
    return add_products(WordTag(), x, w, sum);
  }
  template <class D>
  static HWY_INLINE Sum add_products(D di, const Row& x, const Line& w, Sum sum) {
    if constexpr (kLanes == 1) {
      int32_t total = hn::GetLane(sum);
      const int32_t a = hn::GetLane(x.even), b = hn::GetLane(w.even);
      for (int shift = 0; shift < 32; shift += 8) {
        total += int32_t{static_cast<int8_t>(a >> shift)} * static_cast<int8_t>(b >> shift);
      }
      return hn::Set(di, total);
    } else {
      const hn::Repartition<int16_t, D> d16;
      auto unused = hn::Zero(di);
      sum = hn::ReorderWidenMulAccumulate(di, hn::BitCast(d16, x.even), hn::BitCast(d16, w.even),
                                          sum, unused);
      return hn::ReorderWidenMulAccumulate(di, hn::BitCast(d16, x.odd), hn::BitCast(d16, w.odd),
                                           sum, unused);
    }
  }
};

// `count` panels from `first` on.
template <class Op, int kRows, int kPanels>
HWY_INLINE void multiply_panels(const PackedBlock& b, int64_t first) {
  constexpr int64_t kStep = kLanes * 4;  // bytes of a vector
  typename Op::Sum sum[kRows][kPanels * kVectors];
  const std::byte *x[kRows], *w[kPanels];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    x[r] = b.x + r * b.x_stride;
#pragma GCC unroll 32
    for (int v = 0; v < kPanels * kVectors; ++v) sum[r][v] = Op::zero();
  }
#pragma GCC unroll 8
  for (int p = 0; p < kPanels; ++p) w[p] = b.panels + (first + p) * b.panel_bytes;
  for (int64_t i = 0; i < b.lines; ++i) {
    typename Op::Row broadcast[kRows];
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) broadcast[r] = Op::row(x[r] + i * Op::kRowBytes);
#pragma GCC unroll 8
    for (int p = 0; p < kPanels; ++p) {
      const std::byte* line = w[p] + i * kLineBytes;
      if (b.is_first) hwy::Prefetch(line + bytes_ahead(kPanels));
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) {
        const auto weights = Op::line(line + v * kStep);
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r) {
          auto& to = sum[r][p * kVectors + v];
          to = Op::add(broadcast[r], weights, to);
        }
      }
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 32
    for (int v = 0; v < kPanels * kVectors; ++v) {
      auto* to = static_cast<float*>(b.sums) + r * b.count * 16 + first * 16 + v * kLanes;
      hn::StoreU(hn::BitCast(LineTag(), sum[r][v]), LineTag(), to);
    }
  }
}

// As many panels at a time as there are accumulators for, then three, then one; or all one by one.
template <class Op, int kRows>
HWY_NOINLINE void multiply_rows(const PackedBlock& b) {
  constexpr int kMost = panels_for(kRows);
  const bool streams = b.is_first && kRows <= kStreamRows;
  const int64_t several = streams ? 0 : b.count;
  int64_t p = 0;
  for (; p + kMost <= several; p += kMost) multiply_panels<Op, kRows, kMost>(b, p);
  if constexpr (kMost > 3) {
    for (; p + 3 <= several; p += 3) multiply_panels<Op, kRows, 3>(b, p);
  }
  for (; p < b.count; ++p) multiply_panels<Op, kRows, 1>(b, p);
}

template <class Op, int kRows = kMostRows>
void multiply(const PackedBlock& b) {
  if (b.rows == kRows) return multiply_rows<Op, kRows>(b);
  if constexpr (kRows > 1) multiply<Op, kRows - 1>(b);
}

bool has_wide_lines() { return kLanes == 16; }

int64_t panels_of_rows(int64_t rows) { return panels_for(static_cast<int>(rows)); }

PackedKernel kernel(DType type) {
  PackedKernel out{.name = "lines",
                   .type = type,
                   .form = RowForm::kFloats,
                   .most_rows = kMostRows,
                   .row_step = 1,
                   .panels = panels_of_rows,
                   .multiply = multiply<FloatLines>};
  if (type == DType::kBF16) {
    out.form = RowForm::kRounded;
    out.multiply = multiply<Bf16Lines>;
  } else if (type == DType::kI8) {
    out.form = RowForm::kI8;
    out.multiply = multiply<IntegerLines>;
  }
  return out;
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(kernel);
HWY_EXPORT(has_wide_lines);

bool allows_avx512() { return HWY_DYNAMIC_DISPATCH(has_wide_lines)(); }

PackedKernel line_kernel(DType type) { return HWY_DYNAMIC_DISPATCH(kernel)(type); }

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
