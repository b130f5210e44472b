// BF16 matrices for tests of products.
#ifndef TESTS_KERNELS_CPU_PRODUCTS_BF16_MATRIX_H_
#define TESTS_KERNELS_CPU_PRODUCTS_BF16_MATRIX_H_

#include <vector>

#include "tests/kernels/buffer.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"

namespace weft::kernels::test {

// A random BF16 matrix, and its elements as floats.
class Bf16Matrix {
 public:
  Bf16Matrix(int64_t rows, int64_t cols, uint64_t stream, int64_t slack)
      : floats_(Buffer<float>::random(rows, cols, stream, slack)),
        data_(static_cast<size_t>(rows * (cols + slack)) + 1) {
    view_ = {data_.data(), DType::kBF16, rows, cols, cols + slack};
    ref_backend()(Copy{.x = floats_, .y = view_});
    ref_backend()(Copy{.x = view_, .y = floats_});
  }
  operator View() const { return view_; }  // NOLINT: like buffers
  View floats() { return floats_; }

 private:
  Buffer<float> floats_;
  std::vector<BF16> data_;
  View view_;
};

}  // namespace weft::kernels::test

#endif  // TESTS_KERNELS_CPU_PRODUCTS_BF16_MATRIX_H_
