// Runs a kernel on every backend, with 1 and 2 threads and in BF16, and compares with the
// reference.
#ifndef TESTS_KERNELS_COMPARE_H_
#define TESTS_KERNELS_COMPARE_H_

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/kernels/bf16_twin.h"
#include "tests/kernels/buffer.h"
#include "tests/kernels/cases.h"
#include "tests/kernels/targets.h"
#include "tests/support/kept_threads.h"

namespace weft::kernels::test {

using F32 = Buffer<float>;

inline void expect_close(const F32& got, const F32& expected, double tolerance) {
  ASSERT_EQ(got.rows(), expected.rows());
  EXPECT_TRUE(got.slack_is_untouched());
  double worst = 0;
  int64_t row = 0, col = 0;
  for (int64_t i = 0; i < got.rows(); ++i) {
    for (int64_t j = 0; j < got.cols(); ++j) {
      const double x = got.at(i, j), y = expected.at(i, j);
      if (x == y || (std::isnan(x) && std::isnan(y))) continue;
      const double error = std::abs(x - y) / (1 + std::abs(y));
      if (!std::isnan(worst) && !(error <= worst)) worst = error, row = i, col = j;
    }
  }
  EXPECT_LE(worst, tolerance) << "at " << row << ", " << col << ": " << got.at(row, col) << " for "
                              << expected.at(row, col);
}

using Outputs = std::vector<F32>;
using Kernel = std::function<void(const Backend&, Outputs&)>;

// Inputs and outputs are rounded to 8 bits; the errors accumulate in sums over hundreds of rows.
constexpr double kBf16Tolerance = 0.06;

// Runs `kernel` on a backend with 1 and 2 threads, each with a copy of `outputs`.
inline void compare_threads(const Backend& backend, const Outputs& outputs, const Outputs& expected,
                            double tolerance, const Kernel& kernel) {
  Outputs one = outputs, two = outputs;
  const weft::test::KeptThreads kept;
  set_threads(1);
  kernel(backend, one);
  set_threads(2);
  kernel(backend, two);
  for (size_t i = 0; i < outputs.size(); ++i) {
    SCOPED_TRACE(testing::Message() << "output " << i);
    expect_close(one[i], expected[i], tolerance);
    EXPECT_EQ(one[i], two[i]) << "the bits depend on the number of threads";
  }
}

inline Outputs on_reference(Outputs outputs, const Kernel& kernel) {
  kernel(ref_backend(), outputs);
  return outputs;
}

// Compares for every instruction set.
inline void compare(const Outputs& outputs, double tolerance, const Kernel& kernel) {
  const Outputs expected = on_reference(outputs, kernel);
  for_each_target([&] {
    compare_threads(cpu_backend(), outputs, expected, tolerance, kernel);
    SCOPED_TRACE("in bfloat16");
    compare_threads(bf16_twin(), outputs, expected, tolerance + kBf16Tolerance, kernel);
  });
}

// Rows of a case, with its stride.
class RowsFixture : public testing::TestWithParam<RowCase> {
 protected:
  F32 random(uint64_t stream) const { return random(GetParam().cols, stream); }
  F32 random(int64_t cols, uint64_t stream) const {
    return F32::random(GetParam().rows, cols, stream, GetParam().slack);
  }
  F32 random_row(uint64_t stream) const { return F32::random(1, GetParam().cols, stream); }
  F32 empty(int64_t cols) const { return F32(GetParam().rows, cols, GetParam().slack); }
  F32 empty() const { return empty(GetParam().cols); }
  RowPlaces places() const { return RowPlaces({static_cast<int32_t>(GetParam().rows)}); }
};

}  // namespace weft::kernels::test

#endif  // TESTS_KERNELS_COMPARE_H_
