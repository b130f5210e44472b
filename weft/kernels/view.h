// Non-owning views of 2-D row-major memory with a row stride and a dtype, the operands of kernels.
#ifndef WEFT_KERNELS_VIEW_H_
#define WEFT_KERNELS_VIEW_H_

#include <cstddef>
#include <cstdint>

#include "weft/core/dtype.h"

namespace weft::kernels {

// The number of rows rounded up for matrix products, at most by 1/32 or 7 rows. A small set of row
// counts keeps the number of compiled primitives low.
constexpr int64_t padded_rows(int64_t rows) {
  int64_t step = 8;
  while (step * 64 <= rows) step *= 2;
  return (rows + step - 1) / step * step;
}

// A matrix [rows, cols] of a static element type; `stride` elements between rows.
template <class T>
struct Matrix {
  T* data = nullptr;
  int64_t rows = 0;
  int64_t cols = 0;
  int64_t stride = 0;

  T* row(int64_t i) const { return data + i * stride; }
  Matrix range(int64_t begin, int64_t end) const { return {row(begin), end - begin, cols, stride}; }
  int64_t size() const { return rows * cols; }
  bool is_dense() const { return stride == cols || rows <= 1; }
};

// A matrix with a dynamic element type.
struct View {
  void* data = nullptr;
  DType dtype = DType::kF32;
  int64_t rows = 0;
  int64_t cols = 0;
  int64_t stride = 0;
  int64_t row_capacity = 0;  // rows in memory; rows past `rows` are slack that may be overwritten

  explicit operator bool() const { return data != nullptr; }
  int64_t size() const { return rows * cols; }
  bool is_dense() const { return stride == cols || rows <= 1; }
  View range(int64_t begin, int64_t end) const {
    return {at(begin, 0), dtype, end - begin, cols, stride, end - begin};
  }
  void* at(int64_t row, int64_t col) const {
    return static_cast<std::byte*>(data) + static_cast<size_t>(row * stride + col) * size_of(dtype);
  }
  template <class T>
  Matrix<T> as() const {
    return {static_cast<T*>(data), rows, cols, stride};
  }
};

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_VIEW_H_
