// Rows of floats into the forms that kernels of packed products take, and their sums into results.
#ifndef WEFT_KERNELS_CPU_PACKED_ROWS_H_
#define WEFT_KERNELS_CPU_PACKED_ROWS_H_

#include "weft/kernels/cpu/packed_kernel.h"
#include "weft/kernels/cpu/rows.h"

namespace weft::kernels::cpu {

// Rows of x as a kernel takes them.
struct PreparedRows {
  std::byte* data;
  int64_t stride;  // in bytes
  float* scales;   // of integers, one for each row
};

// Converts rows of x, not to kFloats, with zeros up to `width` columns.
void prepare_rows(RowForm form, Floats x, int64_t width, const PreparedRows& to);

// y = act(sums * scales + bias) for a block; sums [rows, stride] are int32_t where there are
// scales, else floats.
struct PackedResult {
  const void* sums;
  int64_t sums_stride;
  const float* x_scales;  // [rows] or null
  const float* w_scales;  // [cols]
  const float* bias;      // [cols] or null
  Activation activation;
  Floats y;  // [rows, cols]
};
void finish_block(const PackedResult& r);

// Row `row` of the weights as floats, w.cols of them.
void unpack_row(const Packed& w, int64_t row, float* to);

inline bool is_packable(DType type) {
  return type == DType::kF32 || type == DType::kBF16 || type == DType::kI8;
}

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_PACKED_ROWS_H_
