// Kernels of packed products. A kernel multiplies a block of rows by a few panels of weights; the
// surrounding loops are shared.
#ifndef WEFT_KERNELS_CPU_PRODUCTS_PACKED_KERNEL_H_
#define WEFT_KERNELS_CPU_PRODUCTS_PACKED_KERNEL_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "weft/kernels/packed.h"

namespace weft::kernels::cpu {

// The format of the rows of x that a kernel takes: unchanged; rounded to BF16, stored as floats or
// as BF16; signed bytes; bytes plus 128; 16-bit integers, with each four
// columns in the order 0, 2, 1, 3. All but the first are zero-padded to whole k-steps.
enum class RowForm { kFloats, kRounded, kBF16, kI8, kU8, kI16 };

constexpr int64_t bytes_of_element(RowForm form) {
  switch (form) {
    case RowForm::kFloats:
    case RowForm::kRounded: return 4;
    case RowForm::kBF16:
    case RowForm::kI16: return 2;
    case RowForm::kI8:
    case RowForm::kU8: break;
  }
  return 1;
}

inline constexpr int64_t kMaxSums = 1024;

// Up to this number of rows the kernel is memory-bound. Panels that are not cached are then
// processed one by one, as a single stream that the hardware prefetcher detects.
inline constexpr int64_t kStreamRows = 4;

// The prefetch distance in bytes when `panels` panels are processed at a time.
constexpr int64_t prefetch_distance(int64_t panels) {
  return (panels == 1 ? 192 : 8) * kKBlockBytes;
}

// sums = x W^T for `rows` rows of x and `count` panels of weights.
struct PackedBlock {
  const std::byte* x;
  int64_t x_stride;  // in bytes
  int64_t rows;
  const std::byte* panels;
  int64_t panel_bytes;
  int64_t count;
  int64_t k_blocks;            // per panel
  const int32_t* weight_sums;  // for I8: Packed::sums of the panels
  bool is_first;               // the panels are not cached
  int64_t next_offset;         // offset in bytes of the panels to process next, or 0
  void* sums;                  // [rows, 16 * count] floats, int32_t for I8; capacity kMaxSums
};

struct PackedKernel {
  std::string_view name;
  DType type;  // of the weights
  RowForm form;
  int64_t max_rows;                 // per block
  int64_t row_step;                 // block sizes are multiples; memory is padded to them
  int64_t k_step;                   // k-blocks are a multiple; more need not be multiplied
  int64_t (*panels)(int64_t rows);  // panels per block of `rows` rows
  void (*multiply)(const PackedBlock& block);
  // Called by each thread before and after processing blocks of up to `rows` rows; may be null.
  void (*open)(int64_t rows) = nullptr;
  void (*close)() = nullptr;
};

// By Highway, for every type and processor. I8 is exact, with 16-bit products.
PackedKernel k_block_kernel(DType type);
// Whether Highway may use AVX-512, or AVX2 and more; tests can restrict it.
bool allows_avx512();
bool allows_avx2();
// By AVX-512 dot products, for I8 or BF16; requires has_byte_dots() or has_bf16_dots().
PackedKernel dot_kernel(DType type);
// By AMX, for I8 or BF16; requires has_int8_tiles() or has_bf16_tiles().
PackedKernel tile_kernel(DType type);

// The kernel that run() selects for the weight type and a number of rows.
PackedKernel best_kernel(DType type, int64_t rows);
// All kernels for the weight type on this processor, the best one for many rows first.
std::vector<PackedKernel> packed_kernels(DType type);
// Computes a product with a given kernel. run() selects best_kernel(). For F32 and BF16 the
// selection does not depend on the number of rows, since kernels differ in the last bits; I8
// kernels are bit-identical.
void packed_product(const PackedProduct& p, const PackedKernel& kernel);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_PRODUCTS_PACKED_KERNEL_H_
