// What kernels work on: 2-D row-major memory with a row stride and a dtype. Nothing is owned.
#ifndef WEFT_KERNELS_VIEW_H_
#define WEFT_KERNELS_VIEW_H_

#include <cstddef>
#include <cstdint>

#include "weft/core/dtype.h"

namespace weft::kernels {

// Rows a product runs on in place of `rows`: a few row counts instead of all of them, so that few
// kernels need to be made. At most 1/32 more, or 7 rows.
constexpr int64_t padded_rows(int64_t rows) {
  int64_t step = 8;
  while (step * 64 <= rows) step *= 2;
  return (rows + step - 1) / step * step;
}

// A matrix of known element type: [rows, cols], `stride` elements from a row to the next.
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

// The same with the element type kept beside it.
struct View {
  void* data = nullptr;
  DType dtype = DType::kF32;
  int64_t rows = 0;
  int64_t cols = 0;
  int64_t stride = 0;
  int64_t row_capacity = 0;  // rows in memory: those past `rows` are slack, free to be overwritten

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
