// Reference products with packed weights. Sums of floats are kept in double.
#ifndef WEFT_KERNELS_REF_PACKED_H_
#define WEFT_KERNELS_REF_PACKED_H_

#include <cmath>
#include <limits>
#include <vector>

#include "weft/kernels/backend.h"
#include "weft/kernels/ref/activation.h"
#include "weft/kernels/ref/embedding.h"

namespace weft::kernels::ref {

// Where element (row, col) stands, counted in elements of T.
template <class T>
int64_t place_in_panels(int64_t cols, int64_t row, int64_t col) {
  constexpr int64_t kGroup = group_of(dtype_of<T>()), kLine = kPanelRows * kGroup;
  const int64_t panel = row / kPanelRows * lines_of(dtype_of<T>(), cols) * kLine;
  return panel + col / kGroup * kLine + row % kPanelRows * kGroup + col % kGroup;
}

template <class T>
T packed_at(const Packed& w, int64_t row, int64_t col) {
  return static_cast<const T*>(w.panels)[place_in_panels<T>(w.cols, row, col)];
}

template <class T>
void pack(Matrix<T> w, T* panels, int32_t* sums) {
  const int64_t rows = panels_of(w.rows) * kPanelRows;
  std::fill_n(panels, rows * lines_of(dtype_of<T>(), w.cols) * group_of(dtype_of<T>()), T());
  if (sums) std::fill_n(sums, rows, 0);
  for (int64_t i = 0; i < w.rows; ++i) {
    for (int64_t j = 0; j < w.cols; ++j) {
      panels[place_in_panels<T>(w.cols, i, j)] = w.row(i)[j];
      if constexpr (std::is_same_v<T, int8_t>) {
        if (sums) sums[i] += w.row(i)[j];
      }
    }
  }
}

// Quantises a row; returns its scale.
inline float quantise(const float* x, int64_t n, int8_t* q) {
  float top = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (!(std::abs(x[i]) <= top)) top = std::abs(x[i]);
    if (std::isnan(top)) break;
  }
  const bool is_zero = top < 1e-30f, is_finite = std::isfinite(top);
  const float factor = 127 / top;
  for (int64_t i = 0; i < n; ++i) {
    q[i] = static_cast<int8_t>(is_zero || !is_finite ? 0 : std::lrint(x[i] * factor));
  }
  if (!is_finite) return std::numeric_limits<float>::quiet_NaN();
  return is_zero ? 0 : top / 127;
}

inline void quantise_rows(Matrix<float> w, Matrix<int8_t> q, float* scales) {
  for (int64_t i = 0; i < w.rows; ++i) scales[i] = quantise(w.row(i), w.cols, q.row(i));
}

// A row of x as it goes into products with weights of a type: rounded, or as scaled integers.
struct PackedInput {
  PackedInput(const float* x, int64_t n, DType type) : values(x, x + n), integers(values.size()) {
    if (type == DType::kI8) scale = quantise(x, n, integers.data());
    for (float& v : values) v = type == DType::kBF16 ? static_cast<float>(BF16(v)) : v;
  }
  std::vector<float> values;
  std::vector<int8_t> integers;
  float scale = 0;
};

// The product with row j of the weights.
inline float packed_dot(const PackedInput& x, const Packed& w, int64_t j) {
  if (w.dtype == DType::kI8) {
    int32_t sum = 0;
    for (int64_t k = 0; k < w.cols; ++k) {
      sum += int32_t{x.integers[static_cast<size_t>(k)]} * packed_at<int8_t>(w, j, k);
    }
    return static_cast<float>(sum) * (x.scale * w.scales[j]);
  }
  double sum = 0;
  for (int64_t k = 0; k < w.cols; ++k) {
    const float weight = w.dtype == DType::kBF16 ? static_cast<float>(packed_at<BF16>(w, j, k))
                                                 : packed_at<float>(w, j, k);
    sum += double{x.values[static_cast<size_t>(k)]} * double{weight};
  }
  return static_cast<float>(sum);
}

inline void packed_product(const PackedProduct& p) {
  const auto x = p.x.as<float>(), y = p.y.as<float>();
  for (int64_t i = 0; i < x.rows; ++i) {
    int64_t at = 0;
    for (const Packed& w : p.weights) {
      const PackedInput input(x.row(i), x.cols, w.dtype);
      for (int64_t j = 0; j < w.rows; ++j, ++at) {
        float sum = packed_dot(input, w, j);
        if (p.bias) sum += p.bias.as<float>().data[at];
        y.row(i)[at] = activate(p.activation, sum);
      }
    }
  }
}

inline float packed_weight(const Packed& w, int64_t row, int64_t col) {
  switch (w.dtype) {
    case DType::kBF16: return static_cast<float>(packed_at<BF16>(w, row, col));
    case DType::kI8: return w.scales[row] * static_cast<float>(packed_at<int8_t>(w, row, col));
    default: return packed_at<float>(w, row, col);
  }
}

inline void packed_embedding(const Packed& table, const int32_t* ids, double scale,
                             const int32_t* position, Matrix<float> y) {
  for (int64_t n = 0; n < y.rows; ++n) {
    for (int64_t f = 0; f < y.cols; ++f) {
      float value = static_cast<float>(scale) * packed_weight(table, ids[n], f);
      if (position) value += static_cast<float>(sinusoid(position[n], f, y.cols));
      y.row(n)[f] = value;
    }
  }
}

}  // namespace weft::kernels::ref

#endif  // WEFT_KERNELS_REF_PACKED_H_
