#include "weft/ops/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::ops {
namespace {

using testing::ElementsAre;

TEST(Rows, KnowTheSentenceAndPositionOfEachRow) {
  const RowsPtr rows = make_rows({{0, 2, 2, 3, 6}, 10});
  EXPECT_EQ(rows->count(), 6);
  EXPECT_EQ(rows->sentences(), 4);
  EXPECT_THAT(rows->segments.offsets, ElementsAre(0, 2, 2, 3, 6));
  EXPECT_THAT(rows->sentence, ElementsAre(10, 10, 12, 13, 13, 13));
  EXPECT_THAT(rows->position, ElementsAre(0, 1, 0, 0, 1, 2));
}

TEST(Rows, MayBeNone) {
  EXPECT_EQ(make_rows({{0}})->sentences(), 0);
  EXPECT_EQ(make_rows({{0, 0}})->sentences(), 1);
  EXPECT_EQ(make_rows({{0, 0}})->count(), 0);
}

TEST(DropoutSite, NamesTheRowsAndRoundsTheProbability) {
  const RowsPtr rows = make_rows({{0, 2, 3}});
  const DropoutSite site = make_dropout(0.25, {7, 8}, 9, rows);
  EXPECT_TRUE(site);
  EXPECT_EQ(site.mask.threshold, 16384u);
  EXPECT_EQ(site.mask.site, 9u);
  EXPECT_EQ(site.mask.key, (PhiloxKey{7, 8}));
  EXPECT_EQ(site.mask.sentence, rows->sentence.data());
  EXPECT_EQ(site.mask.position, rows->position.data());
}

TEST(DropoutSite, ThatDropsNothingIsNone) {
  const RowsPtr rows = make_rows({{0, 2}});
  EXPECT_FALSE(make_dropout(0, {}, 0, rows));
  EXPECT_FALSE(make_dropout(1e-9, {}, 0, rows));
  EXPECT_FALSE(DropoutSite{});
}

}  // namespace
}  // namespace weft::ops
