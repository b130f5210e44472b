#include "weft/models/assignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "weft/core/error.h"
#include "weft/core/random.h"

namespace weft::models {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

double sum_of(const std::vector<double>& costs, const std::vector<int32_t>& columns,
              int64_t count) {
  double sum = 0;
  for (size_t row = 0; row < columns.size(); ++row) {
    sum += costs[row * static_cast<size_t>(count) + static_cast<size_t>(columns[row])];
  }
  return sum;
}

// The lowest sum over all assignments.
double lowest_sum(const std::vector<double>& costs, int64_t rows, int64_t columns) {
  std::vector<int32_t> order(static_cast<size_t>(columns));
  std::iota(order.begin(), order.end(), 0);
  double lowest = std::numeric_limits<double>::infinity();
  do {
    lowest = std::min(lowest, sum_of(costs, {order.begin(), order.begin() + rows}, columns));
  } while (std::ranges::next_permutation(order).found);
  return lowest;
}

TEST(Assignment, HasTheLowestSumOfAll) {
  RandomStream random(1, 0);
  for (int attempt = 0; attempt < 300; ++attempt) {
    const auto columns = static_cast<int64_t>(1 + random.below(6));
    const auto rows = static_cast<int64_t>(random.below(static_cast<uint64_t>(columns) + 1));
    std::vector<double> costs;
    for (int64_t i = 0; i < rows * columns; ++i) {  // often equal, often below 0
      costs.push_back(attempt % 2 == 0 ? random.normal()
                                       : static_cast<double>(random.below(4)) - 2);
    }
    const std::vector<int32_t> found = assign(costs, rows, columns);
    ASSERT_EQ(std::ssize(found), rows);
    ASSERT_EQ(std::ssize(std::set(found.begin(), found.end())), rows);
    ASSERT_NEAR(sum_of(costs, found, columns), lowest_sum(costs, rows, columns), 1e-12);
  }
}

TEST(Assignment, GivesUpACheapPairForACheaperSum) {
  EXPECT_THAT(assign(std::vector<double>{1, 2, 0, 10}, 2, 2), ElementsAre(1, 0));
  EXPECT_THAT(assign(std::vector<double>{5, 5, 5, 5, 5, 5}, 2, 3), ElementsAre(0, 1));
  EXPECT_THAT(assign({}, 0, 0), IsEmpty());
}

TEST(Assignment, NamesWhatIsWrong) {
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_THROW(assign(std::vector<double>(2), 2, 1), ShapeError);
  EXPECT_THROW(assign(std::vector<double>(3), 2, 2), ShapeError);
  EXPECT_THROW(assign(std::vector<double>{0, infinite}, 1, 2), NumericError);
  EXPECT_THROW(assign(std::vector<double>{0, infinite - infinite}, 1, 2), NumericError);
}

}  // namespace
}  // namespace weft::models
