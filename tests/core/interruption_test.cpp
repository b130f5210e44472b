#include "weft/core/interruption.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

namespace weft {
namespace {

TEST(Interruption, IsCheckedTheFirstTimeAndThenNotOften) {
  int calls = 0;
  {
    const InterruptionCheck check([&] { ++calls; });
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 1000; ++i) interruption_point();
    const auto time = std::chrono::steady_clock::now() - begin;
    EXPECT_GE(calls, 1);
    EXPECT_LE(calls, 1 + time / std::chrono::milliseconds(100));
    calls = 0;
    interruption_point(true);
    EXPECT_EQ(calls, 1);
  }
}

TEST(Interruption, IsOfOneThreadAndOneScope) {
  int calls = 0;
  {
    const InterruptionCheck check([&] { ++calls; });
    std::thread([] { interruption_point(true); }).join();
    EXPECT_EQ(calls, 0);
  }
  interruption_point(true);
  EXPECT_EQ(calls, 0);
}

// Where a reader caught it.
TEST(Interruption, IsThrownAgain) {
  int calls = 0;
  const InterruptionCheck check([&] {
    ++calls;
    throw std::runtime_error("given up");
  });
  check.rethrow();
  for (int i = 0; i < 3; ++i) EXPECT_THROW(interruption_point(), std::runtime_error);
  EXPECT_THROW(check.rethrow(), std::runtime_error);
  EXPECT_EQ(calls, 1);
}

TEST(Interruption, IsWhatTheLastCheckThrows) {
  const InterruptionCheck outer([] { throw std::runtime_error("outer"); });
  {
    const InterruptionCheck inner([] { throw std::logic_error("inner"); });
    EXPECT_THROW(interruption_point(), std::logic_error);
  }
  {
    const InterruptionCheck none(nullptr);
    interruption_point();
  }
  EXPECT_THROW(interruption_point(), std::runtime_error);
}

}  // namespace
}  // namespace weft
