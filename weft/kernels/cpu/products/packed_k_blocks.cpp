#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/products/packed_k_blocks.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "weft/kernels/cpu/products/packed_kernel.h"
#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

using KBlockTag = hn::CappedTag<float, 16>;
using WordTag = hn::RebindToSigned<KBlockTag>;
using KBlockVec = hn::Vec<KBlockTag>;
using WordVec = hn::Vec<WordTag>;
inline constexpr int64_t kLanes = HWY_LANES(float) < 16 ? HWY_LANES(float) : 16;
inline constexpr int kVectors = static_cast<int>(16 / kLanes);  // per k-block

// One depth step: accumulates the products of a k-block and the broadcast elements of a row, one or
// two vectors per k-block. BF16 is processed as even and odd columns. Sums are in order of the
// depth for any block size. The numbers of rows and panels leave registers for parts of a k-block
// and of a row, because GCC would otherwise spill sums.
struct FloatKBlocks {
  using Sum = KBlockVec;
  using KBlock = KBlockVec;
  static constexpr int kParts = 1;
  static constexpr int kMaxRows = kLanes == 16 ? 8 : kLanes == 8 ? 6 : 1;
  static constexpr int kRowBytes = 4;  // of a row per k-block
  static constexpr int panels(int rows) { return kLanes == 16 ? 24 / rows : 6 / rows; }
  static HWY_INLINE Sum zero() { return hn::Zero(KBlockTag()); }
  template <int kPart>
  static HWY_INLINE KBlock k_block(const void* data) {
    return hn::LoadU(KBlockTag(), static_cast<const float*>(data));
  }
  template <int kPart>
  static HWY_INLINE void add(const void* row, const KBlock (&w)[kVectors], Sum (&sum)[kVectors]) {
    const auto x = hn::Set(KBlockTag(), static_cast<const float*>(row)[kPart]);
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v) sum[v] = hn::MulAdd(x, w[v], sum[v]);
  }
};

struct Bf16KBlocks : FloatKBlocks {
  static constexpr int kParts = 2;
  static constexpr int kRowBytes = 8;
  static constexpr int panels(int rows) { return (kLanes == 16 ? 12 : 4) / rows; }
  template <int kPart>
  static HWY_INLINE KBlock k_block(const void* data) {
    const WordTag d;
    const auto words = hn::LoadU(d, static_cast<const int32_t*>(data));
    if constexpr (kPart == 0) return hn::BitCast(KBlockTag(), hn::ShiftLeft<16>(words));
    const auto upper = hn::Set(d, static_cast<int32_t>(0xFFFF0000u));
    return hn::BitCast(KBlockTag(), hn::And(words, upper));
  }
};

// Bytes kFirst and kFirst + 2 of each word, sign-extended to pairs of 16 bits; kFirst is 0 or 1.
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

// Weights are pairs of columns 0 and 2, then of 1 and 3.
struct IntegerKBlocks {
  using Sum = WordVec;
  using KBlock = WordVec;
  static constexpr int kParts = 2;
  static constexpr int kMaxRows = FloatKBlocks::kMaxRows;
  static constexpr int kRowBytes = 8;
  static constexpr int panels(int rows) { return FloatKBlocks::panels(rows); }
  static HWY_INLINE Sum zero() { return hn::Zero(WordTag()); }
  template <int kPart>
  static HWY_INLINE KBlock k_block(const void* data) {
    return byte_pairs<kPart>(WordTag(), hn::LoadU(WordTag(), static_cast<const int32_t*>(data)));
  }
  template <int kPart>
  static HWY_INLINE void add(const void* row, const KBlock (&w)[kVectors], Sum (&sum)[kVectors]) {
    int32_t pair = 0;
    std::memcpy(&pair, static_cast<const std::byte*>(row) + kPart * sizeof(pair), sizeof(pair));
    const auto x = hn::Set(WordTag(), pair);
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v) sum[v] = add_products(WordTag(), x, w[v], sum[v]);
  }
  template <class D>
  static HWY_INLINE Sum add_products(D di, WordVec x, WordVec w, Sum sum) {
    if constexpr (kLanes == 1) {
      const int32_t a = hn::GetLane(x), b = hn::GetLane(w);
      return hn::Set(di, hn::GetLane(sum) + low(a) * low(b) + high(a) * high(b));
    } else {
      const hn::Repartition<int16_t, D> d16;
      auto unused = hn::Zero(di);
      sum =
          hn::ReorderWidenMulAccumulate(di, hn::BitCast(d16, x), hn::BitCast(d16, w), sum, unused);
#if HWY_COMPILER_GCC_ACTUAL && HWY_ARCH_X86
      // Otherwise GCC adds the products of both parts first, and runs out of registers.
      asm("" : "+v"(sum.raw));
#endif
      return sum;
    }
  }
  static constexpr int32_t low(int32_t pair) { return static_cast<int16_t>(pair); }
  static constexpr int32_t high(int32_t pair) { return pair >> 16; }
};

template <class Op, int kPart, int kRows>
HWY_INLINE void add_k_block(const std::byte* k_block, const std::byte* const (&x)[kRows], int64_t i,
                            typename Op::Sum (&sum)[kRows][kVectors]) {
  typename Op::KBlock weights[kVectors];
#pragma GCC unroll 16
  for (int v = 0; v < kVectors; ++v)
    weights[v] = Op::template k_block<kPart>(k_block + v * kLanes * 4);
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r)
    Op::template add<kPart>(x[r] + i * Op::kRowBytes, weights, sum[r]);
}

// Multiplies kPanels panels from `first`.
template <class Op, int kRows, int kPanels>
HWY_INLINE void multiply_panels(const PackedBlock& b, int64_t first) {
  typename Op::Sum sum[kPanels][kRows][kVectors];
  const std::byte *x[kRows], *w[kPanels];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) x[r] = b.x + r * b.x_stride;
#pragma GCC unroll 8
  for (int p = 0; p < kPanels; ++p) {
    w[p] = b.panels + (first + p) * b.panel_bytes;
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) sum[p][r][v] = Op::zero();
    }
  }
  for (int64_t i = 0; i < b.k_blocks; ++i) {
#pragma GCC unroll 8
    for (int p = 0; p < kPanels; ++p) {
      const std::byte* k_block = w[p] + i * kKBlockBytes;
      if (b.is_first) hwy::Prefetch(k_block + prefetch_distance(kPanels));
      add_k_block<Op, 0>(k_block, x, i, sum[p]);
      if constexpr (Op::kParts == 2) add_k_block<Op, 1>(k_block, x, i, sum[p]);
    }
  }
#pragma GCC unroll 8
  for (int p = 0; p < kPanels; ++p) {
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      auto* to = static_cast<float*>(b.sums) + (r * b.count + first + p) * 16;
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) {
        hn::StoreU(hn::BitCast(KBlockTag(), sum[p][r][v]), KBlockTag(), to + v * kLanes);
      }
    }
  }
}

template <class Op>
constexpr int panels_for(int64_t rows) {
  constexpr int kMaxPanels = kLanes == 16 ? 8 : kLanes == 1 ? 1 : 4;
  return std::clamp(Op::panels(static_cast<int>(rows)), 1, kMaxPanels);
}

// Processes as many panels at a time as there are accumulators, then three, then one; or all one by
// one.
template <class Op, int kRows>
HWY_NOINLINE void multiply_rows(const PackedBlock& b) {
  constexpr int kMaxPanels = panels_for<Op>(kRows);
  const bool streams = b.is_first && kRows <= kStreamRows;
  const int64_t several = streams ? 0 : b.count;
  int64_t p = 0;
  for (; p + kMaxPanels <= several; p += kMaxPanels) multiply_panels<Op, kRows, kMaxPanels>(b, p);
  if constexpr (kMaxPanels > 3) {
    for (; p + 3 <= several; p += 3) multiply_panels<Op, kRows, 3>(b, p);
  }
  for (; p < b.count; ++p) multiply_panels<Op, kRows, 1>(b, p);
}

template <class Op, int kRows = Op::kMaxRows>
void multiply(const PackedBlock& b) {
  if (b.rows == kRows) return multiply_rows<Op, kRows>(b);
  if constexpr (kRows > 1) multiply<Op, kRows - 1>(b);
}

bool has_wide_vectors() { return kLanes == 16; }
bool has_vectors_of_eight() { return kLanes >= 8; }

template <class Op>
int64_t panels_per_block(int64_t rows) {
  return panels_for<Op>(rows);
}

template <class Op>
PackedKernel kernel_of(DType type, RowForm form) {
  return {.name = "k-blocks",
          .type = type,
          .form = form,
          .max_rows = Op::kMaxRows,
          .row_step = 1,
          .k_step = 1,
          .panels = panels_per_block<Op>,
          .multiply = multiply<Op>};
}

PackedKernel kernel(DType type) {
  if (type == DType::kBF16) return kernel_of<Bf16KBlocks>(type, RowForm::kRounded);
  if (type == DType::kI8) return kernel_of<IntegerKBlocks>(type, RowForm::kI16);
  return kernel_of<FloatKBlocks>(type, RowForm::kFloats);
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(kernel);
HWY_EXPORT(has_wide_vectors);
HWY_EXPORT(has_vectors_of_eight);

bool allows_avx512() { return HWY_DYNAMIC_DISPATCH(has_wide_vectors)(); }
bool allows_avx2() { return HWY_DYNAMIC_DISPATCH(has_vectors_of_eight)(); }

PackedKernel k_block_kernel(DType type) { return HWY_DYNAMIC_DISPATCH(kernel)(type); }

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
