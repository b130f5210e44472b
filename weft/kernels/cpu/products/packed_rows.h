// Conversion of rows into the formats of packed product kernels, and of their sums into results.
#ifndef WEFT_KERNELS_CPU_PRODUCTS_PACKED_ROWS_H_
#define WEFT_KERNELS_CPU_PRODUCTS_PACKED_ROWS_H_

#include "weft/kernels/cpu/products/packed_kernel.h"
#include "weft/kernels/cpu/rows.h"
#include "weft/kernels/packable.h"

namespace weft::kernels::cpu {

// Rows of x in the format of a kernel.
struct PreparedRows {
  std::byte* data;
  int64_t stride;  // in bytes
  float* scales;   // of integers, one per row
};

// Converts rows of x to any form but kFloats, zero-padded to `width` columns.
void prepare_rows(RowForm form, Floats x, int64_t width, const PreparedRows& to);

// y = act(sums * scales + bias) for a block; sums [rows, stride] are int32_t if there are scales,
// else floats.
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

// Converts row `row` of the weights to w.cols floats.
void unpack_row(const Packed& w, int64_t row, float* to);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_PRODUCTS_PACKED_ROWS_H_
