#include "weft/core/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace weft::profile {
namespace {

using testing::HasSubstr;

TEST(Profile, AddsUpSpansByName) {
  start(false);
  for (int i = 0; i < 3; ++i) const Span span("gemm", 2e9, 1e9);
  { const Span span("adam"); }
  stop();
  const auto all = entries();
  ASSERT_EQ(all.size(), 2u);
  const Entry& gemm = all[all[0].name == "gemm" ? 0 : 1];
  EXPECT_EQ(gemm.calls, 3);
  EXPECT_EQ(gemm.flop, 6e9);
  EXPECT_EQ(gemm.bytes, 3e9);
  EXPECT_TRUE(events().empty());
  EXPECT_THAT(table(), HasSubstr("gemm"));
  EXPECT_THAT(table(), HasSubstr("outside all spans"));
}

TEST(Profile, KeepsEventsOnRequest) {
  start(true);
  { const Span span("first"); }
  { const Span span("second"); }
  stop();
  ASSERT_EQ(events().size(), 2u);
  EXPECT_EQ(events()[0].name, "first");
  const auto end = [](const Event& event) { return event.begin + event.length; };
  constexpr double kRounding = 1e-6;  // of sums of microseconds
  EXPECT_GE(events()[1].begin, end(events()[0]) - kRounding);
  EXPECT_LE(end(events()[1]), seconds() * 1e6 + kRounding);
}

TEST(Profile, RecordsOnlyItsThread) {
  start(true);
  std::thread([] {
    EXPECT_FALSE(is_on());
    const Span span("elsewhere");
  }).join();
  std::thread([] {
    start(false);
    { const Span span("of its own"); }
    stop();
    EXPECT_EQ(entries().size(), 1u);
  }).join();
  EXPECT_TRUE(is_on());
  { const Span span("here"); }
  stop();
  ASSERT_EQ(events().size(), 1u);
  EXPECT_EQ(events()[0].name, "here");
}

TEST(Profile, RecordsNothingWhenOff) {
  start(true);
  stop();
  { const Span span("unseen"); }
  EXPECT_TRUE(entries().empty());
  EXPECT_TRUE(events().empty());
}

}  // namespace
}  // namespace weft::profile
