#include "weft/train/fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "weft/core/error.h"

namespace weft::train {
namespace {

constexpr int64_t kMany = 1000000000;

// Memory that grows linearly from the size of the model.
int64_t linear(int64_t rows) { return 50000000 + 20000 * rows; }

TEST(FitRows, ComesWithinTwoPercentOfTheOptimum) {
  for (const int64_t budget : {60000000, 500000000, 7000000}) {
    const auto model = [&](int64_t rows) { return linear(rows) * budget / 60000000; };
    int64_t largest = 0;
    const int64_t rows = fit_rows(budget, kMany, [&](int64_t w) {
      largest = std::max(largest, model(w));
      return model(w);
    });
    EXPECT_LE(model(rows), budget);
    EXPECT_GT(model(rows * 26 / 25), budget) << rows;
    EXPECT_LE(largest, budget + budget / 20) << "asked for much more than there is";
  }
}

TEST(FitRows, StaysBelowTheBudgetIfMemoryGrowsFaster) {
  const auto curved = [](int64_t w) { return 1000 + w * w / 100; };
  const int64_t rows = fit_rows(10000000, kMany, curved);
  EXPECT_LE(curved(rows), 10000000);
  EXPECT_GT(rows, 20000);
}

TEST(FitRows, NeverExceedsTheMaximum) {
  EXPECT_EQ(fit_rows(int64_t{1} << 50, 5000, linear), 5000);
  EXPECT_EQ(fit_rows(int64_t{1} << 50, 60, linear), 60);
}

TEST(FitRows, ReportsTheMemoryOfTheSmallestBatch) {
  EXPECT_THAT(
      [] { fit_rows(40000000, kMany, linear); },
      testing::ThrowsMessage<OptionError>(testing::HasSubstr(
          "--workspace: too small: an update of --mini-batch-words 128 takes 53 MB, got 40")));
}

}  // namespace
}  // namespace weft::train
