#include "weft/data/prefetch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>

namespace weft::data {
namespace {

TEST(Prefetch, HandsOutEveryValueInOrder) {
  for (const size_t depth : {0, 1, 3, 1000}) {
    int made = 0;
    Prefetch<int> values(
        [&]() -> std::optional<int> { return made < 500 ? std::optional(made++) : std::nullopt; },
        depth);
    for (int i = 0; i < 500; ++i) ASSERT_EQ(values.next(), i);
    EXPECT_EQ(values.next(), std::nullopt);
    EXPECT_EQ(values.next(), std::nullopt);
  }
}

TEST(Prefetch, StaysWithinItsDepth) {
  std::atomic<int> made = 0;
  Prefetch<int> values([&] { return std::optional(made++); }, 4);
  for (int taken = 1; taken <= 200; ++taken) {
    ASSERT_EQ(values.next(), taken - 1);
    ASSERT_LE(made, taken + 4 + 1);
  }
}

TEST(Prefetch, TakesValuesThatOnlyMove) {
  int made = 0;
  Prefetch<std::unique_ptr<int>> values(
      [&]() -> std::optional<std::unique_ptr<int>> { return std::make_unique<int>(made++); });
  for (int i = 0; i < 20; ++i) ASSERT_EQ(**values.next(), i);
}

TEST(Prefetch, AnExceptionComesAfterTheValuesBeforeIt) {
  int made = 0;
  Prefetch<int> values([&]() -> std::optional<int> {
    if (made == 3) throw std::runtime_error("no more");
    return made++;
  });
  for (int i = 0; i < 3; ++i) ASSERT_EQ(values.next(), i);
  for (int i = 0; i < 2; ++i) {
    try {
      values.next();
      FAIL() << "no exception";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "no more");
    }
  }
}

TEST(Prefetch, CanBeDroppedAtAnyTime) {
  for (int taken = 0; taken < 50; ++taken) {
    int made = 0;
    Prefetch<int> values([&] { return std::optional(made++); }, 3);
    for (int i = 0; i < taken; ++i) values.next();
  }
  Prefetch<int> failed([]() -> std::optional<int> { throw std::runtime_error("never seen"); });
}

}  // namespace
}  // namespace weft::data
