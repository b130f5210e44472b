#include "weft/data/text/tab_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::data {
namespace {

using ::testing::ElementsAre;

TEST(TabFields, MayBeEmpty) {
  EXPECT_THAT(tab_fields("a b\tc"), ElementsAre("a b", "c"));
  EXPECT_THAT(tab_fields("\ta\t\tb\t"), ElementsAre("", "a", "", "b", ""));
  EXPECT_THAT(tab_fields("a"), ElementsAre("a"));
  EXPECT_THAT(tab_fields(""), ElementsAre(""));
}

}  // namespace
}  // namespace weft::data
