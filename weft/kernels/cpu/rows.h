// What fast kernels take, and how they share rows among threads.
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
// F32 or BF16: the types that have fast kernels.
inline bool is_fast(const View& x) { return is_float(x) || x.dtype == DType::kBF16; }

inline constexpr int64_t kThreadWork = 16384;  // elements worth waking a thread for

// Calls body(begin, end) on ranges of rows; each row is done by one thread.
template <class Body>
void parallel_rows(int64_t rows, int64_t cols, Body&& body) {
  parallel_for(rows, std::max<int64_t>(1, kThreadWork / std::max<int64_t>(1, cols)), body);
}

// Calls body(n) for each row, shared as above.
template <class Body>
void for_each_row(int64_t rows, int64_t cols, Body&& body) {
  parallel_rows(rows, cols, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) body(n);
  });
}

// Calls body(call, begin, end) likewise.
template <class K>
void parallel_rows(const K& call, int64_t rows, int64_t cols,
                   void (*body)(const K& call, int64_t begin, int64_t end)) {
  parallel_rows(rows, cols, [&](int64_t begin, int64_t end) { body(call, begin, end); });
}

// `n` elements of one row, from column `begin` on.
inline View stretch(const View& x, int64_t row, int64_t begin, int64_t n) {
  return {x.at(row, begin), x.dtype, 1, n, n, 1};
}

// Calls body(row, begin, n) on stretches of elements that cover operands of one shape: on stretches
// of whole rows, and of many rows taken as one where every operand is dense.
template <class Body>
void parallel_stretches(std::initializer_list<View> operands, Body&& body) {
  const View& x = *operands.begin();
  // Rows taken together must be whole vectors, lest a row's remainder be computed another way.
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
