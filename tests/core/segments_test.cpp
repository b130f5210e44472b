#include "weft/core/segments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Segments, AreAppendedByLength) {
  Segments segments;
  EXPECT_EQ(segments.count(), 0);
  EXPECT_EQ(segments.rows(), 0);
  segments.append(3);
  segments.append(0);
  segments.append(2);
  EXPECT_THAT(segments.offsets, ElementsAre(0, 3, 3, 5));
  EXPECT_EQ(segments.count(), 3);
  EXPECT_EQ(segments.rows(), 5);
  EXPECT_EQ(segments.first, 0);
  segments.clear();
  EXPECT_THAT(segments.offsets, ElementsAre(0));
}

TEST(Segments, MayBeUniform) {
  EXPECT_THAT(Segments::uniform(3, 2).offsets, ElementsAre(0, 2, 4, 6));
  EXPECT_THAT(Segments::uniform(2, 0).offsets, ElementsAre(0, 0, 0));
  EXPECT_THAT(Segments::uniform(0, 4).offsets, ElementsAre(0));
}

TEST(Segments, KnowTheRowsOfEach) {
  const Segments segments{{0, 3, 3, 5}};
  EXPECT_EQ(segments.begin(2), 3);
  EXPECT_EQ(segments.end(2), 5);
  EXPECT_EQ(segments.length(0), 3);
  EXPECT_EQ(segments.length(1), 0);
  const std::vector<double> values{1, 2, 3, 4, 5};
  EXPECT_THAT(segments.span(values, 0), ElementsAre(1, 2, 3));
  EXPECT_THAT(segments.span(values, 1), IsEmpty());
  EXPECT_THAT(segments.span(values, 2), ElementsAre(4, 5));
}

TEST(Segments, KeepTheirIndicesInTheUpdateWhenSliced) {
  const Segments segments{{0, 3, 3, 5, 9}, 20};
  const Segments part = segments.slice(1, 3);
  EXPECT_THAT(part.offsets, ElementsAre(0, 0, 2));
  EXPECT_EQ(part.first, 21);
  EXPECT_EQ(part.slice(1, 2).first, 22);
  const Segments none = segments.slice(4, 4);
  EXPECT_THAT(none.offsets, ElementsAre(0));
  EXPECT_EQ(none.first, 24);
}

}  // namespace
}  // namespace weft
