#include "weft/data/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "weft/core/error.h"

namespace weft::data {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Batch three_pairs() {
  return {.fields = {make_tokens({{5, 6}, {}, {7}}, 0), make_tokens({{8}, {9, 10}, {}}, 1)},
          .examples = {40, 20, 30}};
}

TEST(Tokens, AreMadeOfExamples) {
  const Tokens tokens = make_tokens({{7, 8}, {}, {9}}, 0);
  EXPECT_THAT(tokens.ids, ElementsAre(7, 8, 0, 0, 9, 0));
  EXPECT_THAT(tokens.segments.offsets, ElementsAre(0, 3, 4, 6));
  EXPECT_THAT(tokens[2], ElementsAre(9, 0));
}

TEST(Batch, IsSlicedInEveryField) {
  const Batch part = slice(three_pairs(), 1, 3);
  EXPECT_THAT(part.source().ids, ElementsAre(0, 7, 0));
  EXPECT_THAT(part.source().segments.offsets, ElementsAre(0, 1, 3));
  EXPECT_THAT(part.target().ids, ElementsAre(9, 10, 1, 1));
  EXPECT_THAT(part.target().segments.offsets, ElementsAre(0, 3, 4));
  EXPECT_THAT(part.examples, ElementsAre(20, 30));
}

// A picture of two patches and one of three.
Batch pictures() {
  Features patches{.values = {0, 1, 10, 11, 20, 21, 30, 31, 40, 41},
                   .width = 2,
                   .segments = {{0, 2, 5}},
                   .grid = {0, 0, 0, 1, 0, 0, 0, 1, 1, 0}};
  Labels classes{.ids = {4, 5, 6}, .values = {}, .segments = {{0, 1, 3}}};
  Labels heights{.ids = {}, .values = {0.5f, 0.25f}, .segments = {{0, 1, 2}}};
  return {.fields = {patches, classes, heights}, .examples = {8, 9}};
}

TEST(Batch, IsSlicedInFieldsOfEveryKind) {
  const Batch part = slice(pictures(), 1, 2);
  const auto& patches = std::get<Features>(part.fields[0]);
  EXPECT_THAT(patches.values, ElementsAre(20, 21, 30, 31, 40, 41));
  EXPECT_EQ(patches.width, 2);
  EXPECT_EQ(patches.rows(), 3);
  EXPECT_THAT(patches.grid, ElementsAre(0, 0, 0, 1, 1, 0));
  const auto& classes = std::get<Labels>(part.fields[1]);
  EXPECT_THAT(classes.ids, ElementsAre(5, 6));
  EXPECT_THAT(classes.segments.offsets, ElementsAre(0, 2));
  EXPECT_THAT(std::get<Labels>(part.fields[2]).values, ElementsAre(0.25f));
  EXPECT_THAT(part.examples, ElementsAre(9));
}

TEST(Batch, KeepsIndicesInTheUpdateWhenSliced) {
  const auto firsts = [](const Batch& batch) {
    std::vector<int32_t> out;
    for (const Field& field : batch.fields) {
      out.push_back(std::visit([](const auto& kind) { return kind.segments.first; }, field));
    }
    return out;
  };
  Batch all = pictures();
  EXPECT_THAT(firsts(slice(all, 1, 2)), ElementsAre(1, 1, 1));
  set_first(all, 30);
  EXPECT_THAT(firsts(all), ElementsAre(30, 30, 30));
  EXPECT_THAT(firsts(slice(slice(all, 1, 2), 1, 1)), ElementsAre(32, 32, 32));
}

TEST(Batch, NamesAFieldThatIsOfAnotherKind) {
  EXPECT_EQ(test::message_of<ShapeError>([] { (void)pictures().tokens(1); }),
            "batch: field 1 is not one of tokens");
  EXPECT_EQ(test::message_of<ShapeError>([] { (void)three_pairs().tokens(2); }),
            "batch: field 2 is not one of tokens");
}

TEST(Batch, HasAnEmptySlice) {
  const Batch none = slice(three_pairs(), 2, 2);
  EXPECT_EQ(none.size(), 0);
  EXPECT_THAT(none.target().ids, IsEmpty());
  EXPECT_THAT(none.target().segments.offsets, ElementsAre(0));
}

}  // namespace
}  // namespace weft::data
