#include "weft/data/boxes/box.h"

#include <gtest/gtest.h>

namespace weft::data {
namespace {

TEST(Box, MeasuresWhatTwoShare) {
  const Box a{0, 0, 4, 4}, b{2, 1, 4, 2};
  EXPECT_EQ(intersection(a, b), (Box{2, 1, 2, 2}));
  EXPECT_EQ(hull(a, b), (Box{0, 0, 6, 4}));
  EXPECT_DOUBLE_EQ(iou(a, b), 4.0 / 20);
  EXPECT_DOUBLE_EQ(generalized_iou(a, b), 4.0 / 20 - 4.0 / 24);
  EXPECT_DOUBLE_EQ(generalized_iou(a, a), 1);
}

TEST(Box, SharesNothingWithOneThatIsApartOrHasNoArea) {
  const Box a{0, 0, 1, 1}, b{3, 0, 1, 1}, point{};
  EXPECT_EQ(iou(a, b), 0);
  EXPECT_EQ(intersection(a, b).area(), 0);
  EXPECT_DOUBLE_EQ(generalized_iou(a, b), -0.5);
  EXPECT_EQ(iou(point, point), 0);
  EXPECT_EQ(generalized_iou(point, point), -1);
}

TEST(Box, IsMadeAroundItsCentre) {
  const Box box = Box::around(5, 3, 4, 2);
  EXPECT_EQ(box, (Box{3, 2, 4, 2}));
  EXPECT_EQ(box.right(), 7);
  EXPECT_EQ(box.bottom(), 4);
}

}  // namespace
}  // namespace weft::data
