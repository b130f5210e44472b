#include "weft/data/next_window.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::data {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Gives the numbers from 1 to `end` - 1. Those up to `arrived` are there without a wait.
struct Numbers {
  int end = 6, arrived = 6;
  int last = 0;

  bool next(int& number) {
    if (last + 1 == end) return false;
    number = ++last;
    return true;
  }
  bool is_ready() const { return last < arrived; }
};

TEST(NextWindow, HasItemsUpToTheMost) {
  Numbers source;
  std::vector<int> window = {7};
  EXPECT_TRUE(next_window(source, 3, window));
  EXPECT_THAT(window, ElementsAre(1, 2, 3));
  EXPECT_TRUE(next_window(source, 3, window));
  EXPECT_THAT(window, ElementsAre(4, 5));
  EXPECT_FALSE(next_window(source, 3, window));
  EXPECT_THAT(window, IsEmpty());
}

TEST(NextWindow, WaitsForItsFirstItemAlone) {
  Numbers source{.arrived = 2};
  std::vector<int> window;
  EXPECT_TRUE(next_window(source, 9, window));
  EXPECT_THAT(window, ElementsAre(1, 2));
  EXPECT_TRUE(next_window(source, 9, window));
  EXPECT_THAT(window, ElementsAre(3));
}

}  // namespace
}  // namespace weft::data
