// Windows against their definition; their gradients are checked in recurrent_cases.cpp.
#include "weft/ops/rows/windows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/tensors.h"

namespace weft::ops {
namespace {

using testing::ElementsAre;

// 1, 2, ... in a column.
Tensor counted(int64_t rows) {
  std::vector<float> values(static_cast<size_t>(rows));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i + 1);
  return Tensor::from(values, {rows, 1});
}

TEST(Windows, EndWithTheirSequence) {
  const Tensor y = strided_windows(counted(5), make_layout({{0, 3, 5}}), 3, 1, nullptr);
  EXPECT_THAT(weft::test::values(y), ElementsAre(0, 1, 2, 1, 2, 3, 2, 3, 0, 0, 4, 5, 4, 5, 0));
}

TEST(Windows, AreAroundEverySecondRow) {
  const LayoutPtr rows = make_layout({{0, 3, 5}});
  const Tensor y = strided_windows(counted(5), rows, 3, 2, nullptr);
  EXPECT_THAT(weft::test::values(y), ElementsAre(0, 1, 2, 2, 3, 0, 0, 4, 5));
  EXPECT_THAT(strided_rows(rows, 2)->segments.offsets, ElementsAre(0, 2, 3));
}

class GridWindows : public testing::Test {
 protected:
  GridWindows() {
    // Of 2 by 3, and of 3 by 1 without its middle.
    auto rows = std::make_shared<Layout>(*make_layout({{0, 6, 8}}));
    rows->grid = {0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2, 0, 0, 2, 0};
    rows_ = rows;
  }
  LayoutPtr rows_;
};

TEST_F(GridWindows, HaveTheRowsAroundEachInThePicture) {
  const Tensor y = grid_windows(counted(8), rows_, 3, 1, nullptr);
  ASSERT_EQ(y.shape(), Shape({8, 9}));
  EXPECT_THAT(weft::test::values(y.row_range(1, 2)), ElementsAre(0, 0, 0, 1, 2, 3, 4, 5, 6));
  EXPECT_THAT(weft::test::values(y.row_range(5, 6)), ElementsAre(2, 3, 0, 5, 6, 0, 0, 0, 0));
  EXPECT_THAT(weft::test::values(y.row_range(6, 7)), ElementsAre(0, 0, 0, 0, 7, 0, 0, 0, 0));
}

TEST_F(GridWindows, AreAroundEverySecondPixelOfEverySecondRow) {
  const Tensor y = grid_windows(counted(8), rows_, 3, 2, nullptr);
  ASSERT_EQ(y.shape(), Shape({4, 9}));
  EXPECT_THAT(weft::test::values(y.row_range(0, 1)), ElementsAre(0, 0, 0, 0, 1, 2, 0, 4, 5));
  EXPECT_THAT(weft::test::values(y.row_range(1, 2)), ElementsAre(0, 0, 0, 2, 3, 0, 5, 6, 0));
  const LayoutPtr rows = strided_grid_rows(rows_, 2);
  EXPECT_THAT(rows->segments.offsets, ElementsAre(0, 2, 4));
  EXPECT_THAT(rows->grid, ElementsAre(0, 0, 0, 1, 0, 0, 1, 0));
}

TEST(Windows, RefuseAStrideBelowOneAndRowsWithoutCoordinates) {
  const LayoutPtr rows = make_layout({{0, 3}});
  EXPECT_EQ(
      weft::test::message_of<ShapeError>([&] { strided_windows(counted(3), rows, 3, 0, nullptr); }),
      "windows: expected a stride of at least 1, got 0");
  EXPECT_EQ(
      weft::test::message_of<ShapeError>([&] { grid_windows(counted(3), rows, 3, 1, nullptr); }),
      "windows: expected two coordinates for each of 3 rows, got 0 in all");
}

}  // namespace
}  // namespace weft::ops
