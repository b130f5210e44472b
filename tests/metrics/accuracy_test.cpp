#include "weft/metrics/accuracy.h"

#include <gtest/gtest.h>

namespace weft::metrics {
namespace {

// As scipy.stats.binomtest(right, all).proportion_ci(method="wilson") has it.
TEST(AccuracyInterval, IsWilsonsScoreInterval) {
  struct Case {
    double right, all, low, high;
  };
  for (const Case& c : {Case{428, 500, 0.8225095437, 0.8840619259},
                        {4, 6, 0.2999933153, 0.9032285889},
                        {0, 5, 0, 0.4344824648},
                        {5, 5, 0.5655175352, 1}}) {
    const Interval found = accuracy_interval(c.right, c.all);
    EXPECT_NEAR(found.low, c.low, 1e-9) << c.right;
    EXPECT_NEAR(found.high, c.high, 1e-9) << c.right;
  }
}

TEST(AccuracyInterval, OfNoTextsIsAll) {
  const Interval found = accuracy_interval(0, 0);
  EXPECT_EQ(found.low, 0);
  EXPECT_EQ(found.high, 1);
}

}  // namespace
}  // namespace weft::metrics
