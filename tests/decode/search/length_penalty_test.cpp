#include "weft/decode/search/length_penalty.h"

#include <gtest/gtest.h>

#include "weft/core/error.h"

namespace weft::decode {
namespace {

TEST(LengthPenalty, IsTheOneTheOptionsAskFor) {
  EXPECT_DOUBLE_EQ(make_length_penalty({}).score(-6, 4), -1.5);
  EXPECT_DOUBLE_EQ(make_length_penalty({.normalize = 0}).score(-6, 4), -6);
  EXPECT_DOUBLE_EQ(make_length_penalty({.normalize = 1}).score(-6, 4), -1.5);
  EXPECT_DOUBLE_EQ(make_length_penalty({.normalize = 0.5}).score(-6, 4), -3);
  EXPECT_DOUBLE_EQ(make_length_penalty({.length_penalty = 1}).score(-6, 4), -4);
  EXPECT_DOUBLE_EQ(make_length_penalty({.length_penalty = 2}).score(-9, 13), -1);
  EXPECT_DOUBLE_EQ(make_length_penalty({.normalize = 0, .length_penalty = 2}).score(-9, 13), -1);
}

TEST(LengthPenalty, RefusesTwoAtOnce) {
  EXPECT_THROW(make_length_penalty({.normalize = 1, .length_penalty = 0.6}), OptionError);
  EXPECT_THROW((DecodeOptions{.normalize = 1, .length_penalty = 0.6}.validate()), OptionError);
}

}  // namespace
}  // namespace weft::decode
