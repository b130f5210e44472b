#include "weft/kernels/max_rows.h"

#include <gmock/gmock.h>

#include "tests/kernels/buffer.h"
#include "tests/kernels/cases.h"
#include "tests/support/kept_threads.h"

namespace weft::kernels {
namespace {

using test::Buffer;
using testing::ElementsAre;

TEST(MaxRows, AreTheMaximaOfEachColumn) {
  Buffer<double> x(4, 2, {1, 5, 3, -2, 3, 9, -7, 0});
  const std::vector<int32_t> offsets{0, 3, 3, 4};
  Buffer<double> y(3, 2, 1), d_x(4, 2, 1), d_y(3, 2, {10, 20, 30, 40, 50, 60});
  std::vector<int32_t> row(6);
  ref::run(MaxRows{x, offsets, y, row.data()});
  test::expect_near(y, {3, 9, 0, 0, -7, 0}, 0);
  EXPECT_THAT(row, ElementsAre(1, 2, -1, -1, 3, 3));  // the first of the two 3
  d_x.at(0, 0) = 77;
  ref::run(MaxRowsBackward{d_y, offsets, row.data(), d_x});
  test::expect_near(d_x, {0, 0, 10, 0, 0, 20, 50, 60}, 0);
  EXPECT_TRUE(y.slack_is_untouched());
  EXPECT_TRUE(d_x.slack_is_untouched());
}

TEST(MaxRows, AreBitIdenticalWithThreads) {
  std::vector<int32_t> lengths;
  for (int32_t b = 0; b < 100; ++b) lengths.push_back(b * 7 % 23);
  const auto offsets = test::offsets_of(lengths);
  Buffer<float> x = Buffer<float>::random(offsets.back(), 67, 1, 2);
  Buffer<float> d_y = Buffer<float>::random(100, 67, 2);
  Buffer<float> expected(100, 67), expected_d(offsets.back(), 67, 1);
  std::vector<int32_t> expected_row(6700);
  ref::run(MaxRows{x, offsets, expected, expected_row.data()});
  ref::run(MaxRowsBackward{d_y, offsets, expected_row.data(), expected_d});
  const weft::test::KeptThreads kept;
  for (const int threads : {1, 2}) {
    set_threads(threads);
    Buffer<float> y(100, 67), d_x(offsets.back(), 67, 1);
    std::vector<int32_t> row(6700);
    cpu::run(MaxRows{x, offsets, y, row.data()});
    cpu::run(MaxRowsBackward{d_y, offsets, row.data(), d_x});
    EXPECT_EQ(y, expected);
    EXPECT_EQ(row, expected_row);
    EXPECT_EQ(d_x, expected_d);
  }
}

TEST(MaxRows, TakeBf16) {
  std::vector<BF16> x{BF16(1.0f), BF16(-3.0f), BF16(2.0f)}, y(1);
  const std::vector<int32_t> offsets{0, 3};
  int32_t row = -1;
  cpu::run(MaxRows{
      {x.data(), DType::kBF16, 3, 1, 1, 3}, offsets, {y.data(), DType::kBF16, 1, 1, 1, 1}, &row});
  EXPECT_EQ(static_cast<float>(y[0]), 2);
  EXPECT_EQ(row, 2);
}

}  // namespace
}  // namespace weft::kernels
