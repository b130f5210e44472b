#include "weft/ops/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::ops {
namespace {

using testing::ElementsAre;

TEST(Layout, KnowTheSequenceAndPositionOfEachRow) {
  const LayoutPtr rows = make_layout({{0, 2, 2, 3, 6}, 10});
  EXPECT_EQ(rows->count(), 6);
  EXPECT_EQ(rows->sequences(), 4);
  EXPECT_THAT(rows->segments.offsets, ElementsAre(0, 2, 2, 3, 6));
  EXPECT_THAT(rows->sequence, ElementsAre(10, 10, 12, 13, 13, 13));
  EXPECT_THAT(rows->position, ElementsAre(0, 1, 0, 0, 1, 2));
}

TEST(Layout, MayBeNone) {
  EXPECT_EQ(make_layout({{0}})->sequences(), 0);
  EXPECT_EQ(make_layout({{0, 0}})->sequences(), 1);
  EXPECT_EQ(make_layout({{0, 0}})->count(), 0);
}

TEST(DropoutParams, NamesTheRowsAndRoundsTheProbability) {
  const LayoutPtr rows = make_layout({{0, 2, 3}});
  const DropoutParams drop = make_dropout(0.25, {7, 8}, 9, rows);
  EXPECT_TRUE(drop);
  EXPECT_EQ(drop.mask.threshold, 16384u);
  EXPECT_EQ(drop.mask.stream, 9u);
  EXPECT_EQ(drop.mask.key, (PhiloxKey{7, 8}));
  EXPECT_EQ(drop.mask.sequence, rows->sequence.data());
  EXPECT_EQ(drop.mask.position, rows->position.data());
}

TEST(DropoutParams, ThatDropsNothingIsNone) {
  const LayoutPtr rows = make_layout({{0, 2}});
  EXPECT_FALSE(make_dropout(0, {}, 0, rows));
  EXPECT_FALSE(make_dropout(1e-9, {}, 0, rows));
  EXPECT_FALSE(DropoutParams{});
}

}  // namespace
}  // namespace weft::ops
