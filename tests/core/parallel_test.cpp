#include "weft/core/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "tests/support/kept_threads.h"
#include "weft/core/error.h"

namespace weft {
namespace {

class Parallel : public testing::Test {
 protected:
  test::KeptThreads kept_;
};

TEST_F(Parallel, VisitsEveryItemOnceWithAnyNumberOfThreads) {
  for (const int count : {1, 2, 3, 8}) {
    set_threads(count);
    EXPECT_EQ(threads(), count);
    for (const int64_t n : {0, 1, 7, 64, 1000}) {
      std::vector<std::atomic<int>> visits(static_cast<size_t>(n));
      parallel_for(n, 4, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) ++visits[static_cast<size_t>(i)];
      });
      for (const auto& v : visits) EXPECT_EQ(v, 1) << n << " items, " << count << " threads";
    }
  }
}

TEST_F(Parallel, CutsOnlyAtMultiplesOfTheGrain) {
  set_threads(3);
  constexpr int64_t kItems = 1001, kGrain = 16;
  std::mutex mutex;
  std::vector<std::pair<int64_t, int64_t>> ranges;
  parallel_for(kItems, kGrain, [&](int64_t begin, int64_t end) {
    const std::lock_guard lock(mutex);
    ranges.emplace_back(begin, end);
  });
  for (const auto& [begin, end] : ranges) {
    EXPECT_EQ(begin % kGrain, 0);
    EXPECT_TRUE(end % kGrain == 0 || end == kItems);
  }
}

TEST_F(Parallel, RefusesNumbersOfThreadsOutOfRange) {
  EXPECT_THROW(set_threads(0), OptionError);
  EXPECT_THROW(set_threads(-1), OptionError);
  EXPECT_THROW(set_threads(1025), OptionError);
}

}  // namespace
}  // namespace weft
