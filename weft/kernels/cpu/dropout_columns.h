// Dropout factors of attention probabilities, which have queries as lanes.
#ifndef WEFT_KERNELS_CPU_DROPOUT_COLUMNS_H_
#define WEFT_KERNELS_CPU_DROPOUT_COLUMNS_H_

#include "weft/kernels/dropout.h"

namespace weft::kernels::cpu {

inline constexpr int64_t kDropoutChunk = 128;  // features that share 16 Philox blocks

// factors[f * stride + i], aligned to 64 bytes, belongs to feature f of a chunk and row i. Whole
// vectors of up to 16 floats are written past `rows`.
struct DropoutColumns {
  float* factors;
  int64_t stride, rows;
};

// The factors of features 128 * chunk to 128 * chunk + 127 of the rows from n on: 0 of what is
// dropped, else mask.factor().
void dropout_columns(const DropoutMask& mask, int64_t n, int64_t chunk, const DropoutColumns& to);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_DROPOUT_COLUMNS_H_
