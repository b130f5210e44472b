#include "weft/core/shape.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(Shape, CountsRowsColumnsAndElements) {
  const Shape shape{2, 3, 4};
  EXPECT_EQ(shape.rank(), 3);
  EXPECT_EQ(shape.size(), 24);
  EXPECT_EQ(shape.rows(), 6);
  EXPECT_EQ(shape.cols(), 4);
  EXPECT_EQ(shape[0], 2);
  EXPECT_EQ(shape[-1], 4);
  EXPECT_EQ(shape.text(), "[2, 3, 4]");
}

TEST(Shape, OfRankZeroHasOneElement) {
  EXPECT_EQ(Shape().size(), 1);
  EXPECT_EQ(Shape().rows(), 1);
  EXPECT_EQ(Shape().cols(), 1);
  EXPECT_EQ(Shape().text(), "[]");
}

TEST(Shape, MayBeEmptyInADimension) {
  EXPECT_EQ((Shape{0, 8}).size(), 0);
  EXPECT_EQ((Shape{0, 8}).cols(), 8);
}

TEST(Shape, IsEqualOnlyWithTheSameDimensions) {
  EXPECT_EQ((Shape{2, 3}), (Shape{2, 3}));
  EXPECT_NE((Shape{2, 3}), (Shape{3, 2}));
  EXPECT_NE((Shape{2}), (Shape{2, 1}));
}

TEST(Shape, RefusesNegativeDimensionsAndRankOverFour) {
  EXPECT_THROW((Shape{2, -1}), ShapeError);
  EXPECT_THROW((Shape{1, 1, 1, 1, 1}), ShapeError);
}

}  // namespace
}  // namespace weft
