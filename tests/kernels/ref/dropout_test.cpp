#include "weft/kernels/dropout.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/kernels/buffer.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"

namespace weft::kernels {
namespace {

using test::Buffer;

struct Rows {
  explicit Rows(int32_t n) : sequence(n, 3), position(n) {
    std::iota(position.begin(), position.end(), 0);
  }
  DropoutMask dropout(uint32_t threshold, uint32_t stream = 1, PhiloxKey key = {8, 9}) const {
    return {threshold, stream, key, sequence.data(), position.data()};
  }
  std::vector<int32_t> sequence, position;
};

Buffer<float> mask(const DropoutMask& d, int64_t rows, int64_t cols) {
  Buffer<float> x(rows, cols);
  ref_backend()(Fill{.y = x, .value = 1});
  ref_backend()(Dropout{.mask = d, .x = x, .y = x});
  return x;
}

TEST(ReferenceDropout, KeepsTheExpectedFractionAndTheMean) {
  const Rows rows(200);
  auto y = mask(rows.dropout(19661), 200, 500);  // 0.3
  double sum = 0, kept = 0;
  for (int64_t i = 0; i < 200; ++i) {
    for (int64_t j = 0; j < 500; ++j) {
      sum += y.at(i, j);
      kept += y.at(i, j) != 0;
    }
  }
  EXPECT_NEAR(kept / 100000, 0.7, 0.006);
  EXPECT_NEAR(sum / 100000, 1, 0.01);
  EXPECT_FLOAT_EQ(*std::max_element(y.row(0), y.row(0) + 500), 65536.0f / 45875);
}

TEST(ReferenceDropout, DrawsHalvesOfPhiloxWords) {
  const Rows rows(3);
  const auto d = rows.dropout(32768);
  const auto y = mask(d, 3, 300);
  // Feature 250: chunk 1, group 7 of 16, lane 10: the high half of word 3 of block 26.
  const auto words = philox({1, 3, 2, 26}, {8, 9});
  EXPECT_EQ(y.at(2, 250) == 0, (words[3] >> 16) < 32768);
  // Feature 5: chunk 0, group 0, lane 5: the low half of word 0 of block 5.
  EXPECT_EQ(y.at(2, 5) == 0, (philox({1, 3, 2, 5}, {8, 9})[0] & 0xFFFF) < 32768);
}

TEST(ReferenceDropout, IsAFunctionOfSequencePositionAndFeature) {
  const Rows rows(4);
  const auto y = mask(rows.dropout(32768), 4, 128);
  EXPECT_EQ(y, mask(rows.dropout(32768), 4, 128));
  EXPECT_FALSE(y == mask(rows.dropout(32768, 2), 4, 128));
  EXPECT_FALSE(y == mask(rows.dropout(32768, 1, {8, 10}), 4, 128));
  // Another batch with only row 2.
  Rows alone(1);
  alone.position = {2};
  const auto row = mask(alone.dropout(32768), 1, 128);
  for (int64_t j = 0; j < 128; ++j) EXPECT_EQ(row.at(0, j), y.at(2, j));
}

TEST(ReferenceDropout, AZeroThresholdKeepsEverything) {
  const auto y = mask({}, 2, 3);
  test::expect_near(y, {1, 1, 1, 1, 1, 1}, 0);
}

}  // namespace
}  // namespace weft::kernels
