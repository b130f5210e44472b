// A matrix for kernel tests that owns its memory, with an optional stride and a guard value in the
// slack, which detects writes past the columns.
#ifndef TESTS_KERNELS_BUFFER_H_
#define TESTS_KERNELS_BUFFER_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "weft/core/random.h"
#include "weft/kernels/view.h"

namespace weft::kernels::test {

template <class T>
class Buffer {
 public:
  static constexpr T kGuard = static_cast<T>(12345);

  Buffer() = default;
  Buffer(int64_t rows, int64_t cols, int64_t slack = 0)
      : rows_(rows), cols_(cols), stride_(cols + slack), data_(rows * stride_ + 1, kGuard) {
    for (int64_t i = 0; i < rows; ++i) std::fill_n(row(i), cols, T{0});
  }
  Buffer(int64_t rows, int64_t cols, const std::vector<double>& values) : Buffer(rows, cols) {
    std::transform(values.begin(), values.end(), data_.begin(),
                   [](double x) { return static_cast<T>(x); });
  }
  // Uniform in [-1, 1).
  static Buffer random(int64_t rows, int64_t cols, uint64_t stream, int64_t slack = 0) {
    Buffer out(rows, cols, slack);
    RandomStream draws(20240229, stream);
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < cols; ++j) out.at(i, j) = static_cast<T>(2 * draws.uniform() - 1);
    }
    return out;
  }

  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }
  T* row(int64_t i) { return data_.data() + i * stride_; }
  T& at(int64_t i, int64_t j) { return data_[i * stride_ + j]; }
  T at(int64_t i, int64_t j) const { return data_[i * stride_ + j]; }
  View view() {
    if (data_.empty()) return {};
    return {data_.data(), dtype_of<T>(), rows_, cols_, stride_, rows_};
  }
  operator View() { return view(); }  // NOLINT: buffers are passed to kernels directly
  bool slack_is_untouched() const {
    for (int64_t i = 0; i < rows_; ++i) {
      for (int64_t j = cols_; j < stride_; ++j) {
        if (at(i, j) != kGuard) return false;
      }
    }
    return data_.empty() || data_.back() == kGuard;
  }
  bool operator==(const Buffer& other) const { return data_ == other.data_; }

 private:
  int64_t rows_ = 0, cols_ = 0, stride_ = 0;
  std::vector<T> data_;
};

template <class T>
void expect_near(const Buffer<T>& got, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(got.rows() * got.cols(), static_cast<int64_t>(expected.size()));
  for (int64_t i = 0; i < got.rows(); ++i) {
    for (int64_t j = 0; j < got.cols(); ++j) {
      EXPECT_NEAR(got.at(i, j), expected[i * got.cols() + j], tolerance) << i << ", " << j;
    }
  }
}

}  // namespace weft::kernels::test

#endif  // TESTS_KERNELS_BUFFER_H_
