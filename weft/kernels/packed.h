// Weights packed for inference, as numbers or in blocks, and their products with rows of
// activations. The layouts serve AVX-512, AVX2 and AMX.
#ifndef WEFT_KERNELS_PACKED_H_
#define WEFT_KERNELS_PACKED_H_

#include <span>
#include <variant>

#include "weft/kernels/activation_kind.h"
#include "weft/kernels/blocks.h"
#include "weft/kernels/cost.h"

namespace weft::kernels {

// The elements of packed weights: F32, BF16 or I8 numbers, or blocks (blocks.h).
using PackedType = std::variant<DType, BlockType>;
constexpr std::string_view name_of(PackedType type) {
  const BlockType* blocks = std::get_if<BlockType>(&type);
  return blocks != nullptr ? format_of(*blocks).name : weft::name_of(std::get<DType>(type));
}

// A weight matrix [rows, cols] = [D_out, D_in] in panels of 16 rows; blocks.h defines those of
// blocks. Another panel is a sequence of k-blocks of 64 bytes; a k-block holds 4 bytes of each of
// the 16 rows: one float, two BF16 or four I8 columns. Rows are zero-padded to whole panels,
// columns to a multiple of 16 k-blocks.
struct Packed {
  const void* panels = nullptr;
  PackedType type = DType::kF32;
  int64_t rows = 0;
  int64_t cols = 0;
  // For I8 only, one element per row, padded to whole panels. A weight is scale * integer; `sums`
  // are the sums of the integers of each row.
  const float* scales = nullptr;
  const int32_t* sums = nullptr;

  explicit operator bool() const { return panels != nullptr; }
  bool is_in_blocks() const { return std::holds_alternative<BlockType>(type); }
  DType dtype() const { return std::get<DType>(type); }
  BlockType block_type() const { return std::get<BlockType>(type); }
};

inline constexpr int64_t kKBlockBytes = 64;

// Columns per k-block.
constexpr int64_t k_block_cols(DType type) { return 4 / static_cast<int64_t>(size_of(type)); }
constexpr int64_t k_blocks(DType type, int64_t cols) {
  const int64_t step = kPanelRows * k_block_cols(type);
  return (cols + step - 1) / step * kPanelRows;
}
constexpr int64_t panel_bytes(PackedType type, int64_t cols) {
  const BlockType* blocks = std::get_if<BlockType>(&type);
  if (blocks != nullptr) return block_panel(*blocks, cols).bytes;
  return k_blocks(std::get<DType>(type), cols) * kKBlockBytes;
}
// The size of all panels.
constexpr int64_t packed_bytes(PackedType type, int64_t rows, int64_t cols) {
  return panels_of(rows) * panel_bytes(type, cols);
}

// Packs weights w (F32, BF16 or I8) into `panels` of packed_bytes(), aligned to 64 bytes, including
// the padding. For I8 also computes `sums`, padded to whole panels; otherwise `sums` is null.
struct Pack {
  View w;
  void* panels;
  int32_t* sums = nullptr;
  static constexpr std::string_view kName = "pack";
  Cost cost() const { return {0, bytes_of({w, w})}; }
};

// Symmetric quantisation of each row of w (F32): q[i] = round(w[i] * (127 / max|w[i]|)), I8, with
// scale[i] = max|w[i]| / 127. If max|w[i]| is below 1e-30 the scale is 0; for rows with infinities
// or NaN it is NaN.
struct QuantiseRows {
  View w, q;
  float* scales;
  static constexpr std::string_view kName = "quantise_rows";
  Cost cost() const { return {0, bytes_of({w, q})}; }
};

// y = act(x W^T + bias) for rows x [M, K] (F32) and packed weights W; y [M, D_out] and the bias [1,
// D_out] are F32. The weights may consist of several matrices with K columns, concatenated along
// rows, of different types. x is rounded to BF16 for BF16 weights; for I8 weights its rows are
// quantised like rows of weights:
//   y = act(float(sum of products) * (scale of x * scale of w) + bias).
// For blocks, each 32 columns of a row of x are quantised like a row of QuantiseRows, to integers p
// with a scale a; an element errs by up to a / 2 = max|x| / 254. Then
//   y = act(sum of a * (scale * float(sum of p (q - zero)) + offset * float(sum of p)) + bias)
// over groups in order of columns, with sums of integers within a group and fused multiplications
// and additions of F32 (std::fma). So without activation the bits of y are the same for every
// kernel. NaN or infinities in a row of x make the row of y NaN.
// A row of y is bit-identical for any number of rows and of threads.
struct PackedProduct {
  View x;
  std::span<const Packed> weights;
  View bias = {};
  Activation activation = Activation::kNone;
  View y = {};

  std::string_view name() const {
    const PackedType type = weights.empty() ? DType::kF32 : weights.front().type;
    if (std::holds_alternative<BlockType>(type)) return "product, blocks";
    switch (std::get<DType>(type)) {
      case DType::kBF16: return "product, bf16";
      case DType::kI8: return "product, int8";
      default: return "product, f32";
    }
  }
  Cost cost() const {
    double bytes = bytes_of({x, y});
    for (const Packed& w : weights) {
      bytes += static_cast<double>(packed_bytes(w.type, w.rows, w.cols));
    }
    return {2 * static_cast<double>(y.size()) * static_cast<double>(x.cols), bytes};
  }
};

// y[n] = scale * table[ids[n]] + sinusoid(position[n]), as Embedding; y is F32.
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
