// Shared by the reference kernels: dispatch on the element type, conversions and small sums. Unless
// stated otherwise, reference kernels support F32 and F64. For other types they throw ShapeError,
// naming the kernel and the type.
#ifndef WEFT_KERNELS_REF_ELEMENTS_H_
#define WEFT_KERNELS_REF_ELEMENTS_H_

#include <algorithm>
#include <cmath>
#include <string_view>
#include <type_traits>

#include "weft/core/bf16.h"
#include "weft/kernels/view.h"

namespace weft::kernels::ref {

[[noreturn]] void refuse(std::string_view kernel, DType type, std::string_view expected);

// Calls body with a value of the view's element type.
template <class Body>
void visit(std::string_view kernel, const View& x, Body&& body) {
  switch (x.dtype) {
    case DType::kF32: return body(float{});
    case DType::kF64: return body(double{});
    default: refuse(kernel, x.dtype, "F32 or F64");
  }
}

// As visit(), also for BF16.
template <class Body>
void visit_with_bf16(std::string_view kernel, const View& x, Body&& body) {
  switch (x.dtype) {
    case DType::kF32: return body(float{});
    case DType::kF64: return body(double{});
    case DType::kBF16: return body(BF16{});
    default: refuse(kernel, x.dtype, "F32, F64 or BF16");
  }
}

inline void expect_float(std::string_view kernel, const View& x) {
  if (x.dtype != DType::kF32) refuse(kernel, x.dtype, "F32");
}

// Converts an element to another type; BF16 via float.
template <class To, class From>
To convert(From x) {
  if constexpr (std::is_same_v<To, From>) {
    return x;
  } else if constexpr (std::is_same_v<From, BF16>) {
    return static_cast<To>(static_cast<float>(x));
  } else if constexpr (std::is_same_v<To, BF16>) {
    return BF16(static_cast<float>(x));
  } else {
    return static_cast<To>(x);
  }
}

template <class T>
void fill(Matrix<T> y, double value) {
  for (int64_t n = 0; n < y.rows; ++n) std::fill_n(y.row(n), y.cols, convert<T>(value));
}

template <class T>
T dot(const T* x, const T* y, int64_t n) {
  T sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

template <class T>
T log_sum_exp(const T* x, int64_t n) {
  const T top = *std::max_element(x, x + n);
  T sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += std::exp(x[i] - top);
  return top + std::log(sum);
}

// Feature f of width D: sin(position / 10000^(f / D)) for even f; cos of f - 1's angle for odd f.
double sinusoid(int64_t position, int64_t f, int64_t width);

}  // namespace weft::kernels::ref

#endif  // WEFT_KERNELS_REF_ELEMENTS_H_
