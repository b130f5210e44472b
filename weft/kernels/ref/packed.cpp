#include "weft/kernels/packed.h"

#include <vector>

#include "weft/kernels/packable.h"
#include "weft/kernels/ref/activation.h"
#include "weft/kernels/ref/blocks.h"
#include "weft/kernels/ref/elements.h"
#include "weft/kernels/ref/int8_row.h"

namespace weft::kernels::ref {
// Sums of floats are in double.
namespace {

// The index of element (row, col), in elements of T.
template <class T>
int64_t packed_index(int64_t cols, int64_t row, int64_t col) {
  constexpr int64_t kBlockCols = k_block_cols(dtype_of<T>()), kBlock = kPanelRows * kBlockCols;
  const int64_t panel = row / kPanelRows * k_blocks(dtype_of<T>(), cols) * kBlock;
  return panel + col / kBlockCols * kBlock + row % kPanelRows * kBlockCols + col % kBlockCols;
}

template <class T>
T packed_at(const Packed& w, int64_t row, int64_t col) {
  return static_cast<const T*>(w.panels)[packed_index<T>(w.cols, row, col)];
}

template <class T>
void pack(Matrix<T> w, T* panels, int32_t* sums) {
  const int64_t rows = panels_of(w.rows) * kPanelRows;
  std::fill_n(panels, rows * k_blocks(dtype_of<T>(), w.cols) * k_block_cols(dtype_of<T>()), T());
  if (sums) std::fill_n(sums, rows, 0);
  for (int64_t i = 0; i < w.rows; ++i) {
    for (int64_t j = 0; j < w.cols; ++j) {
      panels[packed_index<T>(w.cols, i, j)] = w.row(i)[j];
      if constexpr (std::is_same_v<T, int8_t>) {
        if (sums) sums[i] += w.row(i)[j];
      }
    }
  }
}

// A row of x converted for products with weights of a type: rounded, or scaled integers.
struct PackedInput {
  PackedInput(const float* x, int64_t n, DType type) : values(x, x + n), integers(values.size()) {
    if (type == DType::kI8) scale = quantise_row(x, n, integers.data());
    for (float& v : values) v = type == DType::kBF16 ? static_cast<float>(BF16(v)) : v;
  }
  std::vector<float> values;
  std::vector<int8_t> integers;
  float scale = 0;
};

// The dot product with row j of the weights.
float packed_dot(const PackedInput& x, const Packed& w, int64_t j) {
  if (w.dtype() == DType::kI8) {
    int32_t sum = 0;
    for (int64_t k = 0; k < w.cols; ++k) {
      sum += int32_t{x.integers[static_cast<size_t>(k)]} * packed_at<int8_t>(w, j, k);
    }
    return static_cast<float>(sum) * (x.scale * w.scales[j]);
  }
  double sum = 0;
  for (int64_t k = 0; k < w.cols; ++k) {
    const float weight = w.dtype() == DType::kBF16 ? static_cast<float>(packed_at<BF16>(w, j, k))
                                                   : packed_at<float>(w, j, k);
    sum += double{x.values[static_cast<size_t>(k)]} * double{weight};
  }
  return static_cast<float>(sum);
}

void packed_sums(Matrix<float> x, const Packed& w, Matrix<float> sums) {
  for (int64_t i = 0; i < x.rows; ++i) {
    const PackedInput input(x.row(i), x.cols, w.dtype());
    for (int64_t j = 0; j < w.rows; ++j) sums.row(i)[j] = packed_dot(input, w, j);
  }
}

float packed_weight(const Packed& w, int64_t row, int64_t col) {
  switch (w.dtype()) {
    case DType::kBF16: return static_cast<float>(packed_at<BF16>(w, row, col));
    case DType::kI8: return w.scales[row] * static_cast<float>(packed_at<int8_t>(w, row, col));
    default: return packed_at<float>(w, row, col);
  }
}

void unpack_row(const Packed& w, int64_t row, float* to) {
  if (w.is_in_blocks()) return unpack_block_row(w, row, to);
  for (int64_t col = 0; col < w.cols; ++col) to[col] = packed_weight(w, row, col);
}

void expect_packable(std::string_view kernel, PackedType type) {
  if (!is_packable(type)) refuse(kernel, std::get<DType>(type), "F32, BF16, I8 or blocks");
}

}  // namespace

void run(const Pack& k) {
  expect_packable(k.kName, k.w.dtype);
  const auto as = [&]<class T>(T) { pack(k.w.as<T>(), static_cast<T*>(k.panels), k.sums); };
  if (k.w.dtype == DType::kF32) return as(float{});
  if (k.w.dtype == DType::kBF16) return as(BF16{});
  as(int8_t{});
}

void run(const QuantiseRows& k) {
  expect_float(k.kName, k.w);
  const auto w = k.w.as<float>();
  for (int64_t i = 0; i < w.rows; ++i) {
    k.scales[i] = quantise_row(w.row(i), w.cols, k.q.as<int8_t>().row(i));
  }
}

void run(const PackedProduct& p) {
  expect_float("packed_product", p.x);
  for (const Packed& w : p.weights) expect_packable("packed_product", w.type);
  const auto x = p.x.as<float>(), y = p.y.as<float>();
  int64_t begin = 0;
  for (const Packed& w : p.weights) {
    const Matrix<float> sums{y.data + begin, y.rows, w.rows, y.stride};
    w.is_in_blocks() ? block_sums(x, w, sums) : packed_sums(x, w, sums);
    begin += w.rows;
  }
  for (int64_t i = 0; i < y.rows; ++i) {
    for (int64_t j = 0; j < begin; ++j) {
      float sum = y.row(i)[j];
      if (p.bias) sum += p.bias.as<float>().data[j];
      y.row(i)[j] = activate(p.activation, sum);
    }
  }
}

void run(const PackedEmbedding& k) {
  expect_float("packed_embedding", k.y);
  expect_packable("packed_embedding", k.table.type);
  const auto y = k.y.as<float>();
  for (int64_t n = 0; n < y.rows; ++n) {
    unpack_row(k.table, k.ids[n], y.row(n));
    for (int64_t f = 0; f < y.cols; ++f) {
      float value = static_cast<float>(k.scale) * y.row(n)[f];
      if (k.position) value += static_cast<float>(sinusoid(k.position[n], f, y.cols));
      y.row(n)[f] = value;
    }
  }
}

}  // namespace weft::kernels::ref
