// One row for each sequence: the ways beside mean_rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/ops/misuse.h"
#include "tests/support/tensors.h"
#include "weft/ops/rows/attention_pool.h"
#include "weft/ops/rows/first_rows.h"
#include "weft/ops/rows/last_rows.h"
#include "weft/ops/rows/max_rows.h"
#include "weft/ops/rows/unit_rows.h"

namespace weft::ops {
namespace {

using testing::ElementsAre;
using testing::Pointwise;
using weft::test::values;

class Pooling : public testing::Test {
 protected:
  const LayoutPtr rows_ = make_layout({{0, 2, 2, 3}});
  const Tensor x_ = Tensor::from(std::vector<double>{1, 4, 3, 2, -5, -6}, {3, 2});
};

TEST_F(Pooling, TakesTheLargest) {
  std::vector<int32_t> row_of;
  EXPECT_THAT(values(max_rows(x_, rows_, nullptr, &row_of)), ElementsAre(3, 4, 0, 0, -5, -6));
  EXPECT_THAT(row_of, ElementsAre(1, 0, -1, -1, 2, 2));
}

TEST_F(Pooling, TakesTheFirst) {
  EXPECT_THAT(values(first_rows(x_, rows_, nullptr)), ElementsAre(1, 4, 0, 0, -5, -6));
}

TEST_F(Pooling, TakesTheLast) {
  EXPECT_THAT(values(last_rows(x_, rows_, nullptr)), ElementsAre(3, 2, 0, 0, -5, -6));
}

TEST_F(Pooling, MakesRowsOfLengthOne) {
  const Tensor x = Tensor::from(std::vector<double>{3, -4, 0, 0}, {2, 2});
  EXPECT_THAT(values(unit_rows(x, nullptr)),
              Pointwise(testing::DoubleNear(1e-15), {0.6, -0.8, 0.0, 0.0}));
}

TEST_F(Pooling, WeighsByAQuery) {
  const Tensor query = Tensor::from(std::vector<double>{0.5, -0.25}, {1, 2});
  const double a = std::exp(0.5 - 1), b = std::exp(1.5 - 0.5);
  const std::vector<double> one{(a * 1 + b * 3) / (a + b), (a * 4 + b * 2) / (a + b), 0, 0, -5, -6};
  EXPECT_THAT(values(attention_pool(x_, query, rows_, 1, nullptr)),
              Pointwise(testing::DoubleNear(1e-12), one));
  const double c = std::exp(0.5), d = std::exp(1.5), e = std::exp(-1.0), f = std::exp(-0.5);
  const std::vector<double> two{(c * 1 + d * 3) / (c + d), (e * 4 + f * 2) / (e + f), 0, 0, -5, -6};
  EXPECT_THAT(values(attention_pool(x_, query, rows_, 2, nullptr)),
              Pointwise(testing::DoubleNear(1e-12), two));
}

TEST_F(Pooling, RefusesWhatDoesNotFit) {
  using test::zeros;
  test::expect_shape_errors({
      {[&] { max_rows(zeros(2, 2), rows_, nullptr); }, "max_rows: x"},
      {[&] { first_rows(zeros(2, 2), rows_, nullptr); }, "first_rows: x"},
      {[&] { last_rows(zeros(2, 2), rows_, nullptr); }, "last_rows: x"},
      {[&] { attention_pool(zeros(2, 2), zeros(1, 2), rows_, 1, nullptr); }, "attention_pool: x"},
      {[&] { attention_pool(x_, zeros(1, 3), rows_, 1, nullptr); }, "attention_pool: query"},
      {[&] { attention_pool(x_, zeros(1, 2), rows_, 3, nullptr); }, "3 heads do not divide"},
  });
}

}  // namespace
}  // namespace weft::ops
