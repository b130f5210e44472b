// Max pooling over the rows of each sequence.
#ifndef WEFT_KERNELS_MAX_ROWS_H_
#define WEFT_KERNELS_MAX_ROWS_H_

#include <span>
#include <string_view>

#include "weft/kernels/cost.h"

namespace weft::kernels {

// y[b] is the maximum of each column over the rows [offsets[b], offsets[b + 1]) of x, 0 if there
// are none. x [N, D] and y [B, D] have the same type, F32, BF16 or F64. row[b * D + f] is the row
// of the maximum, the first on ties, or -1.
struct MaxRows {
  View x;
  std::span<const int32_t> offsets;  // [B + 1]
  View y;
  int32_t* row = nullptr;  // [B * D]

  static constexpr std::string_view kName = "max rows";
  Cost cost() const { return {0, bytes_of({x, y})}; }
};

// d_x is overwritten: d_y at the maxima, else 0.
struct MaxRowsBackward {
  View d_y;
  std::span<const int32_t> offsets;  // [B + 1]
  const int32_t* row = nullptr;      // [B * D]
  View d_x = {};

  static constexpr std::string_view kName = "max rows backward";
  Cost cost() const { return {0, bytes_of({d_x, d_y})}; }
};

namespace ref {
void run(const MaxRows& call);
void run(const MaxRowsBackward& call);
}  // namespace ref

// Parallel over sequences.
namespace cpu {
void run(const MaxRows& call);
void run(const MaxRowsBackward& call);
}  // namespace cpu

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MAX_ROWS_H_
