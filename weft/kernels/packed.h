// Weights laid out for inference, and products with them: panels that one core streams through with
// few rows of activations, and that AVX-512, AVX2 and AMX alike multiply as they lie.
#ifndef WEFT_KERNELS_PACKED_H_
#define WEFT_KERNELS_PACKED_H_

#include <span>

#include "weft/kernels/activation.h"
#include "weft/kernels/cost.h"

namespace weft::kernels {

// A matrix of weights [rows, cols] (D_out, D_in) as panels of 16 rows, one after the other. A panel
// holds a k-block of 64 bytes for each 32 bits along the columns: of each of its 16 rows one float,
// two BF16 or four I8. Rows past the end, and columns up to a multiple of 16 k-blocks, are zeros.
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
inline constexpr int64_t kKBlockBytes = 64;  // of a k-block

// Columns in one k-block.
constexpr int64_t k_block_cols(DType type) { return 4 / static_cast<int64_t>(size_of(type)); }
constexpr int64_t panels_of(int64_t rows) { return (rows + kPanelRows - 1) / kPanelRows; }
constexpr int64_t k_blocks(DType type, int64_t cols) {
  const int64_t whole = kPanelRows * k_block_cols(type);
  return (cols + whole - 1) / whole * kPanelRows;
}
constexpr int64_t panel_bytes(DType type, int64_t cols) {
  return k_blocks(type, cols) * kKBlockBytes;
}
// All panels of [rows, cols].
constexpr int64_t packed_bytes(DType type, int64_t rows, int64_t cols) {
  return panels_of(rows) * panel_bytes(type, cols);
}

// Lays out weights w (F32, BF16 or I8) as the panels of a Packed, zeros included: packed_bytes() at
// a multiple of 64 bytes. Of I8 also the sums, one for each row of whole panels; else null.
struct Pack {
  View w;
  void* panels;
  int32_t* sums = nullptr;
  static constexpr std::string_view kName = "pack";
  Cost cost() const { return {0, bytes_of({w, w})}; }
};

// q[i] = round(w[i] * (127 / max|w[i]|)) with scale[i] = max|w[i]| / 127 for each row of w (F32);
// q is I8. A row whose largest is below 1e-30 has the scale 0; one with infinities or NaN, NaN.
struct QuantiseRows {
  View w, q;
  float* scales;
  static constexpr std::string_view kName = "quantise_rows";
  Cost cost() const { return {0, bytes_of({w, q})}; }
};

// y = act(x W^T + bias) for rows x [M, K] (F32) and packed weights W; y [M, D_out] and the bias
// [1, D_out] are F32. The weights may come in several parts of K columns, whose rows follow each
// other and whose types may differ. A row of x is rounded to BF16 where the weights are BF16; where
// they are I8 it is quantised like a row of weights:
//   y = act(float(sum of products) * (scale of x * scale of w) + bias).
// A row of y does not depend on the number of rows.
struct PackedProduct {
  View x;
  std::span<const Packed> weights;
  View bias = {};
  Activation activation = Activation::kNone;
  View y = {};

  std::string_view name() const {
    switch (weights.empty() ? DType::kF32 : weights.front().dtype) {
      case DType::kBF16: return "product, bf16";
      case DType::kI8: return "product, int8";
      default: return "product, f32";
    }
  }
  Cost cost() const {
    double bytes = bytes_of({x, y});
    for (const Packed& w : weights) {
      bytes += static_cast<double>(packed_bytes(w.dtype, w.rows, w.cols));
    }
    return {2 * static_cast<double>(y.size()) * static_cast<double>(x.cols), bytes};
  }
};

// y[n] = scale * row ids[n] of the weights + sinusoid(position[n]), as Embedding; y is F32.
struct PackedEmbedding {
  Packed table;
  const int32_t* ids;
  double scale = 1;
  const int32_t* position = nullptr;
  View y = {};
  static constexpr std::string_view kName = "embedding";
  Cost cost() const { return {0, bytes_of({y, y})}; }
};

namespace ref {
void run(const Pack&), run(const QuantiseRows&), run(const PackedProduct&),
    run(const PackedEmbedding&);
}
namespace cpu {
void run(const Pack&), run(const QuantiseRows&), run(const PackedProduct&),
    run(const PackedEmbedding&);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_PACKED_H_
