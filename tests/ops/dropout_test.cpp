#include "weft/ops/dropout.h"

#include <gtest/gtest.h>

#include "tests/support/tensors.h"

namespace weft::ops {
namespace {

using weft::test::values;

// Ones of these sequences after dropout: the mask itself, scaled.
std::vector<double> mask(const std::vector<int32_t>& offsets, int32_t first_sentence,
                         uint32_t stream = 1, PhiloxKey key = {2, 3}) {
  const LayoutPtr rows = make_layout({offsets, first_sentence});
  const Tensor ones = Tensor::full({rows->count(), 40}, 1, DType::kF64);
  return values(dropout(ones, make_dropout(0.5, key, stream, rows), nullptr));
}

TEST(Dropout, ReturnsItsInputWhereNothingIsDropped) {
  const Tensor x = Tensor::full({2, 3}, 1);
  EXPECT_TRUE(dropout(x, {}, nullptr).shares_storage_with(x));
}

TEST(Dropout, KeepsTheMeanAndDropsTheShareAskedFor) {
  const LayoutPtr rows = make_layout({{0, 100, 300}});
  const Tensor ones = Tensor::full({300, 500}, 1, DType::kF64);
  const auto y = values(dropout(ones, make_dropout(0.3, {2, 3}, 1, rows), nullptr));
  double sum = 0;
  int64_t dropped = 0;
  for (const double x : y) {
    sum += x;
    dropped += x == 0;
    EXPECT_TRUE(x == 0 || std::abs(x - 1 / 0.7) < 1e-4) << x;
  }
  // Five standard deviations of 150,000 draws.
  EXPECT_NEAR(static_cast<double>(dropped) / 150000, 0.3, 0.006);
  EXPECT_NEAR(sum / 150000, 1, 0.009);
}

TEST(Dropout, MasksASequenceAlikeWhateverItsBatchMates) {
  const auto alone = mask({0, 3}, 8);
  const auto behind = mask({0, 5, 5, 8}, 6);  // the third sequence is number 8
  EXPECT_EQ(alone, std::vector<double>(behind.begin() + 5 * 40, behind.end()));
}

TEST(Dropout, MasksApartByKeySiteSequenceAndPosition) {
  const auto base = mask({0, 2}, 0);
  EXPECT_NE(base, mask({0, 2}, 1));
  EXPECT_NE(base, mask({0, 2}, 0, 2));
  EXPECT_NE(base, mask({0, 2}, 0, 1, {2, 4}));
  EXPECT_NE(std::vector<double>(base.begin(), base.begin() + 40),
            std::vector<double>(base.begin() + 40, base.end()));
}

}  // namespace
}  // namespace weft::ops
