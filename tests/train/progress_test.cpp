#include "weft/train/progress.h"

#include <gtest/gtest.h>

namespace weft::train {
namespace {

using options::Period;

TEST(Progress, ReachesAPeriodByTheCounterOfItsUnit) {
  const Progress progress{.updates = 100, .targets = 5000, .epochs = 2};
  EXPECT_TRUE(reached(Period::updates(100), progress));
  EXPECT_FALSE(reached(Period::updates(101), progress));
  EXPECT_TRUE(reached(Period::targets(5000), progress));
  EXPECT_FALSE(reached(Period::targets(5001), progress));
  EXPECT_TRUE(reached(Period::epochs(2), progress));
  EXPECT_FALSE(reached(Period::epochs(3), progress));
}

TEST(Progress, PassesOnceForEachMultipleOfAPeriod) {
  const Period every = Period::targets(1000);
  EXPECT_TRUE(passed(every, {.targets = 999}, {.targets = 1000}));
  EXPECT_FALSE(passed(every, {.targets = 1000}, {.targets = 1999}));
  EXPECT_TRUE(passed(every, {.targets = 1999}, {.targets = 4100}));
  EXPECT_FALSE(passed(every, {.targets = 1000}, {.targets = 1000}));
}

TEST(Progress, NeverReachesAPeriodOfZero) {
  EXPECT_FALSE(reached(Period(), {.updates = 5}));
  EXPECT_FALSE(passed(Period(), {}, {.updates = 5}));
}

}  // namespace
}  // namespace weft::train
