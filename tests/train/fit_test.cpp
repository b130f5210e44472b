#include "weft/train/fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "weft/core/error.h"

namespace weft::train {
namespace {

constexpr int64_t kMany = 1000000000;

// Memory that grows linearly from the size of the model.
int64_t linear(int64_t words) { return 50000000 + 20000 * words; }

TEST(FitWords, ComesWithinTwoPercentOfTheOptimum) {
  for (const int64_t budget : {60000000, 500000000, 7000000}) {
    const auto model = [&](int64_t words) { return linear(words) * budget / 60000000; };
    int64_t largest = 0;
    const int64_t words = fit_words(budget, kMany, [&](int64_t w) {
      largest = std::max(largest, model(w));
      return model(w);
    });
    EXPECT_LE(model(words), budget);
    EXPECT_GT(model(words * 26 / 25), budget) << words;
    EXPECT_LE(largest, budget + budget / 20) << "asked for much more than there is";
  }
}

TEST(FitWords, StaysBelowTheBudgetIfMemoryGrowsFaster) {
  const auto curved = [](int64_t w) { return 1000 + w * w / 100; };
  const int64_t words = fit_words(10000000, kMany, curved);
  EXPECT_LE(curved(words), 10000000);
  EXPECT_GT(words, 20000);
}

TEST(FitWords, NeverExceedsTheMaximum) {
  EXPECT_EQ(fit_words(int64_t{1} << 50, 5000, linear), 5000);
  EXPECT_EQ(fit_words(int64_t{1} << 50, 60, linear), 60);
}

TEST(FitWords, ReportsTheMemoryOfTheSmallestBatch) {
  EXPECT_THAT([] { fit_words(40000000, kMany, linear); },
              testing::ThrowsMessage<OptionError>(testing::HasSubstr(
                  "--workspace: too small: an update of 128 target tokens takes 53 MB, got 40")));
}

}  // namespace
}  // namespace weft::train
