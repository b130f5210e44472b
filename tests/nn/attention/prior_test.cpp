#include "weft/nn/attention/prior.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::nn {
namespace {

using testing::ElementsAre;

double at(const Tensor& table, int64_t distance) {
  const int64_t row = table.rows() / 2 + distance;
  return table.row_range(row, row + 1).data<double>()[0];
}

TEST(AttentionPrior, IsAGaussianAroundTheDiagonal) {
  const Tensor table =
      AttentionPrior(DiagonalPriorOptions{{.width = 2}}, 3).bias(DType::kF64).table;
  EXPECT_EQ(table.cols(), 3);
  EXPECT_EQ(at(table, 0), 0);
  EXPECT_DOUBLE_EQ(at(table, 2), -0.5);
  EXPECT_DOUBLE_EQ(at(table, -4), -2);
  EXPECT_LE(at(table, table.rows() / 2), -32);
}

TEST(AttentionPrior, LowersWhatLiesBehindAlone) {
  const Tensor table =
      AttentionPrior(MonotonicPriorOptions{{.width = 4}}, 1).bias(DType::kF64).table;
  EXPECT_EQ(at(table, 0), 0);
  EXPECT_EQ(at(table, 100), 0);
  EXPECT_DOUBLE_EQ(at(table, -2), -0.5);
  EXPECT_DOUBLE_EQ(at(table, -128), -32);
}

TEST(AttentionPrior, PutsTargetRowsWhereTheirSourceIsExpected) {
  const auto rows = ops::make_layout({{0, 4, 6}});
  const AttentionPrior prior(DiagonalPriorOptions{{.width = 2, .ratio = 1.5}}, 1);
  EXPECT_FALSE(AttentionPrior(NoPriorOptions{}, 1).is_present());
  EXPECT_THAT(prior.moved(*rows)->position, ElementsAre(0, 2, 3, 5, 0, 2));
}

}  // namespace
}  // namespace weft::nn
