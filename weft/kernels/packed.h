// Weights laid out for inference: panels that one core streams through with few rows of
// activations, and that AVX-512, AVX2 and AMX alike multiply as they lie.
#ifndef WEFT_KERNELS_PACKED_H_
#define WEFT_KERNELS_PACKED_H_

#include "weft/kernels/view.h"

namespace weft::kernels {

// A matrix of weights [rows, cols] (D_out, D_in) as panels of 16 rows, one after the other. A panel
// holds a 64-byte line for each group of 32 bits along the columns; a line holds the group of each
// of the 16 rows: one float, two BF16 or four I8. Rows past the end, and columns up to a whole
// number of 16 lines, are zeros.
struct Packed {
  const void* panels = nullptr;
  DType dtype = DType::kF32;  // F32, BF16 or I8
  int64_t rows = 0;
  int64_t cols = 0;
  // Of I8 alone, one for each row, in whole panels: a weight is scale * integer, and the sum of
  // the row's integers.
  const float* scales = nullptr;
  const int32_t* sums = nullptr;

  explicit operator bool() const { return panels != nullptr; }
};

inline constexpr int64_t kPanelRows = 16;
inline constexpr int64_t kLineBytes = 64;

// Columns that stand in one line of a panel.
constexpr int64_t group_of(DType type) { return 4 / static_cast<int64_t>(size_of(type)); }
constexpr int64_t panels_of(int64_t rows) { return (rows + kPanelRows - 1) / kPanelRows; }
constexpr int64_t lines_of(DType type, int64_t cols) {
  const int64_t whole = kPanelRows * group_of(type);
  return (cols + whole - 1) / whole * kPanelRows;
}
constexpr int64_t panel_bytes(DType type, int64_t cols) {
  return lines_of(type, cols) * kLineBytes;
}
// All panels of [rows, cols].
constexpr int64_t packed_bytes(DType type, int64_t rows, int64_t cols) {
  return panels_of(rows) * panel_bytes(type, cols);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_PACKED_H_
