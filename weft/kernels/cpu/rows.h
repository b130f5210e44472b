// Operand types of fast kernels, and parallel loops over rows.
#ifndef WEFT_KERNELS_CPU_ROWS_H_
#define WEFT_KERNELS_CPU_ROWS_H_

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "weft/core/parallel.h"
#include "weft/kernels/view.h"

namespace weft::kernels::cpu {

using Floats = Matrix<float>;

inline bool is_float(const View& x) { return x.dtype == DType::kF32; }
// Whether the type has fast kernels: F32 or BF16.
inline bool is_fast(const View& x) { return is_float(x) || x.dtype == DType::kBF16; }

inline constexpr int64_t kThreadWork = 16384;  // elements worth waking a thread for

// Calls body(begin, end) on ranges of rows, in parallel.
template <class Body>
void parallel_rows(int64_t rows, int64_t cols, Body&& body) {
  parallel_for(rows, std::max<int64_t>(1, kThreadWork / std::max<int64_t>(1, cols)), body);
}

// Calls body(n) for each row, in parallel.
template <class Body>
void for_each_row(int64_t rows, int64_t cols, Body&& body) {
  parallel_rows(rows, cols, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) body(n);
  });
}

// Calls body(call, begin, end) on ranges of rows, in parallel.
template <class K>
void parallel_rows(const K& call, int64_t rows, int64_t cols,
                   void (*body)(const K& call, int64_t begin, int64_t end)) {
  parallel_rows(rows, cols, [&](int64_t begin, int64_t end) { body(call, begin, end); });
}

// The columns [begin, begin + n) of one row.
inline View row_span(const View& x, int64_t row, int64_t begin, int64_t n) {
  return {x.at(row, begin), x.dtype, 1, n, n, 1};
}

// Calls body(row, begin, n) on spans that cover operands of equal shape, in parallel. If all
// operands are dense, they are treated as one long row; otherwise spans are rows.
template <class Body>
void parallel_row_spans(std::initializer_list<View> operands, Body&& body) {
  const View& x = *operands.begin();
  // Only for rows of whole vectors, so that the remainder of a row is always computed the same way.
  bool flat = x.rows == 1 || x.cols % 64 == 0;
  for (const View& operand : operands) flat = flat && operand.is_dense();
  if (flat) {
    parallel_for(x.size(), kThreadWork,
                 [&](int64_t begin, int64_t end) { body(int64_t{0}, begin, end - begin); });
  } else {
    parallel_rows(x.rows, x.cols, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) body(row, int64_t{0}, x.cols);
    });
  }
}

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_ROWS_H_
