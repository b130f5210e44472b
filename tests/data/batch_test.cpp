#include "weft/data/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::data {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Batch three_pairs() {
  return {.sides = {make_ragged({{5, 6}, {}, {7}}, 0), make_ragged({{8}, {9, 10}, {}}, 1)},
          .numbers = {40, 20, 30}};
}

TEST(Batch, IsSlicedOnEverySide) {
  const Batch part = slice(three_pairs(), 1, 3);
  EXPECT_THAT(part.source().ids, ElementsAre(0, 7, 0));
  EXPECT_THAT(part.source().offsets, ElementsAre(0, 1, 3));
  EXPECT_THAT(part.target().ids, ElementsAre(9, 10, 1, 1));
  EXPECT_THAT(part.target().offsets, ElementsAre(0, 3, 4));
  EXPECT_THAT(part.numbers, ElementsAre(20, 30));
}

TEST(Batch, HasAnEmptySlice) {
  const Batch none = slice(three_pairs(), 2, 2);
  EXPECT_EQ(none.sentences(), 0);
  EXPECT_THAT(none.target().ids, IsEmpty());
  EXPECT_THAT(none.target().offsets, ElementsAre(0));
}

}  // namespace
}  // namespace weft::data
