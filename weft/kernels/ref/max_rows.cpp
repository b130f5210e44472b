#include "weft/kernels/ref/max_rows.h"

#include <algorithm>

#include "weft/core/error.h"
#include "weft/kernels/ref/elements.h"

namespace weft::kernels::ref {

void max_rows(const MaxRows& call, int64_t b) {
  const int32_t begin = call.offsets[b], end = call.offsets[b + 1];
  const int64_t cols = call.x.cols;
  int32_t* row_of = call.row + b * cols;
  std::fill_n(row_of, cols, begin < end ? begin : -1);
  visit_with_bf16("max_rows", call.x, [&]<class T>(T) {
    T* y = call.y.as<T>().row(b);
    if (begin == end) {
      std::fill_n(y, cols, convert<T>(0.0f));
      return;
    }
    std::copy_n(call.x.as<T>().row(begin), cols, y);
    for (int32_t n = begin + 1; n < end; ++n) {
      const T* x = call.x.as<T>().row(n);
      for (int64_t f = 0; f < cols; ++f) {
        const bool is_larger = convert<double>(x[f]) > convert<double>(y[f]);
        y[f] = is_larger ? x[f] : y[f];
        row_of[f] = is_larger ? n : row_of[f];
      }
    }
  });
}

void max_rows_backward(const MaxRowsBackward& call, int64_t b) {
  visit_with_bf16("max_rows", call.d_x, [&]<class T>(T) {
    const Matrix<T> d_x = call.d_x.as<T>(), d_y = call.d_y.as<T>();
    for (int32_t n = call.offsets[b]; n < call.offsets[b + 1]; ++n) {
      std::fill_n(d_x.row(n), d_x.cols, convert<T>(0.0f));
    }
    for (int64_t f = 0; f < d_x.cols; ++f) {
      const int32_t n = call.row[b * d_x.cols + f];
      if (n >= 0) d_x.row(n)[f] = d_y.row(b)[f];
    }
  });
}

void run(const MaxRows& call) {
  for (int64_t b = 0; b + 1 < std::ssize(call.offsets); ++b) max_rows(call, b);
}

void run(const MaxRowsBackward& call) {
  for (int64_t b = 0; b + 1 < std::ssize(call.offsets); ++b) max_rows_backward(call, b);
}

}  // namespace weft::kernels::ref
