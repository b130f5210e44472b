#include "weft/data/features/channel_statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "weft/core/error.h"

namespace weft::data {
namespace {

using testing::ElementsAre;

TEST(ChannelStatistics, NormaliseRows) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> rows = {1, 10, 3, nan, 5, 30};
  const ChannelStatistics found = channel_statistics(rows, 2);
  EXPECT_THAT(found.mean, ElementsAre(3, 20));
  EXPECT_EQ(found.deviation[1], 10);
  normalise_rows(rows, {.mean = {3, 20}, .deviation = {2, 10}});
  EXPECT_THAT(rows, ElementsAre(-1, -1, 0, 0, 1, 1));
}

TEST(ChannelStatistics, AreRefusedWhereTheyDoNotFit) {
  std::vector<float> rows(6, 1);
  for (const ChannelStatistics& wrong :
       {ChannelStatistics{}, ChannelStatistics{.mean = {1, 1, 1, 1}, .deviation = {1, 1, 1, 1}},
        ChannelStatistics{.mean = {1, 1}, .deviation = {1}}}) {
    EXPECT_THROW(normalise_rows(rows, wrong), ShapeError);
  }
  normalise_rows({}, {});
}

}  // namespace
}  // namespace weft::data
