// What a kernel of packed products is: it multiplies a block of rows by a few panels of weights;
// all around it is shared.
#ifndef WEFT_KERNELS_CPU_PACKED_KERNEL_H_
#define WEFT_KERNELS_CPU_PACKED_KERNEL_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "weft/kernels/packed.h"

namespace weft::kernels::cpu {

// How a kernel takes rows of x: as they are; rounded to BF16, as floats or as BF16; as integers; or
// as integers plus 128. All but the first are followed by zeros up to whole k-blocks.
enum class RowForm { kFloats, kRounded, kBF16, kI8, kU8 };

inline constexpr int64_t kMostSums = 1024;

// Up to so many rows memory is the limit: panels from far off are then best taken one by one, as a
// single stream that the processor foresees too.
inline constexpr int64_t kStreamRows = 4;

// How long before its use a k-block is asked for, in bytes, where that many panels are taken at a
// time.
constexpr int64_t bytes_ahead(int64_t panels) { return (panels == 1 ? 192 : 8) * kKBlockBytes; }

// sums = x W^T for `rows` rows of x and `count` panels of weights.
struct PackedBlock {
  const std::byte* x;
  int64_t x_stride;  // in bytes
  int64_t rows;
  const std::byte* panels;
  int64_t panel_bytes;
  int64_t count;
  int64_t k_blocks;            // of a panel, to be multiplied
  const int32_t* weight_sums;  // of I8: Packed::sums of the panels
  bool is_first;    // no other rows have met these panels just now, so they come from far off
  int64_t to_next;  // bytes to the panels that come after these, or 0
  void* sums;       // [rows, 16 * count] floats, of I8 int32_t; room for kMostSums
};

struct PackedKernel {
  std::string_view name;
  DType type;  // of the weights
  RowForm form;
  int64_t most_rows;                // to a block
  int64_t row_step;                 // blocks are so many rows or a multiple; memory goes on as far
  int64_t (*panels)(int64_t rows);  // the panels to a block of so many rows
  void (*multiply)(const PackedBlock& block);
  // Called by each thread before its blocks of up to so many rows, and after; may be null.
  void (*open)(int64_t rows) = nullptr;
  void (*close)() = nullptr;
};

// On Highway: for every type and processor. I8 is exact, by products of 16 bits.
PackedKernel k_block_kernel(DType type);
// Whether Highway is free to use AVX-512: tests hold it to less.
bool allows_avx512();
// On AVX-512's dot products, where has_byte_dots() and has_bf16_dots(); I8 or BF16.
PackedKernel dot_kernel(DType type);
// On AMX, where has_int8_tiles() and has_bf16_tiles(); I8 or BF16.
PackedKernel tile_kernel(DType type);

// All kernels for weights of a type that the processor has, the best one for many rows first.
std::vector<PackedKernel> packed_kernels(DType type);
// A product by one kernel. run() takes the best one: for F32 and for BF16 the same at every number
// of rows, since kernels differ in their last bits; those of I8 do not.
void packed_product(const PackedProduct& p, const PackedKernel& kernel);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_PACKED_KERNEL_H_
