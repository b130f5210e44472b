#include "weft/core/parallel.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
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

// The number of threads that take part in a call that takes long enough for all to wake.
size_t threads_that_work() {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  parallel_for(60, 1, [&](int64_t begin, int64_t end) {
    std::this_thread::sleep_for((end - begin) * std::chrono::milliseconds(5));
    const std::lock_guard lock(mutex);
    seen.insert(std::this_thread::get_id());
  });
  return seen.size();
}

// Not of Parallel, whose tests run under ThreadSanitizer: it ends programs that do this.
TEST(AfterFork, TheChildHasAPoolOfItsOwn) {
  const test::KeptThreads kept;
  set_threads(3);
  ASSERT_GE(threads_that_work(), 2u);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(static_cast<int>(threads_that_work()));
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << status;
  EXPECT_GE(WEXITSTATUS(status), 2);
  EXPECT_GE(threads_that_work(), 2u);
}

TEST_F(Parallel, SplitsAtMultiplesOfTheGrain) {
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

TEST_F(Parallel, RunsNestedCallsOnTheSameThread) {
  set_threads(3);
  std::atomic<int64_t> visits{0};
  std::atomic<bool> is_same{true};
  parallel_for(6, 1, [&](int64_t begin, int64_t end) {
    const auto outer = std::this_thread::get_id();
    parallel_for(10 * (end - begin), 1, [&](int64_t from, int64_t to) {
      visits += to - from;
      if (std::this_thread::get_id() != outer) is_same = false;
    });
  });
  EXPECT_EQ(visits, 60);
  EXPECT_TRUE(is_same);
}

TEST_F(Parallel, SupportsConcurrentCallers) {
  set_threads(2);
  constexpr int kCallers = 4, kCalls = 500, kItems = 40;
  std::vector<int64_t> visits(kCallers, 0);
  std::vector<std::thread> callers;
  for (int64_t& sum : visits) {
    callers.emplace_back([&sum] {
      for (int call = 0; call < kCalls; ++call) {
        std::vector<int> items(kItems, 0);
        parallel_for(kItems, 1, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) ++items[static_cast<size_t>(i)];
        });
        for (const int visited : items) sum += visited;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  for (const int64_t sum : visits) EXPECT_EQ(sum, int64_t{kCalls} * kItems);
}

TEST_F(Parallel, RethrowsExceptionsAndStaysUsable) {
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    for (const int64_t bad : {0, 5, 11}) {
      EXPECT_THROW(parallel_for(12, 1,
                                [&](int64_t begin, int64_t end) {
                                  if (begin <= bad && bad < end) throw std::runtime_error("bad");
                                }),
                   std::runtime_error);
    }
    std::atomic<int64_t> visits{0};
    parallel_for(12, 1, [&](int64_t begin, int64_t end) { visits += end - begin; });
    EXPECT_EQ(visits, 12);
  }
}

TEST_F(Parallel, RefusesNumbersOfThreadsOutOfRange) {
  EXPECT_THROW(set_threads(0), OptionError);
  EXPECT_THROW(set_threads(-1), OptionError);
  EXPECT_THROW(set_threads(1025), OptionError);
}

}  // namespace
}  // namespace weft
