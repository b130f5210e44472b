#include "weft/predict/generation/continuation.h"

#include <gtest/gtest.h>

#include "weft/data/text/sentencepiece.h"

namespace weft::predict {
namespace {

// A tokeniser whose decode() leaves out the space before the first word.
TEST(Continuation, HasTheSpaceBeforeItsFirstWord) {
  const std::vector<std::string> lines = {"some words of a text", "a text of some words"};
  const data::TokeniserPtr tokeniser = data::load_sentencepiece(
      data::train_sentencepiece(lines, {.size = 40, .type = "bpe"}, "test"), "test");
  const std::vector<int32_t> ids = tokeniser->encode("some words of a text");
  for (size_t i = 1; i < ids.size(); ++i) {
    const std::span<const int32_t> all(ids);
    const std::string before = tokeniser->decode(all.first(i));
    EXPECT_EQ(before + Continuation(*tokeniser, all.first(i))(all.subspan(i)),
              "some words of a text");
  }
}

TEST(Continuation, IsHeldBackWhereAStopStringMayBegin) {
  const std::vector<std::string> stop = {"END", "\nUser"};
  EXPECT_EQ(length_before_stop("a text", stop), 6u);
  EXPECT_EQ(length_before_stop("a text E", stop), 7u);
  EXPECT_EQ(length_before_stop("a text EN", stop), 7u);
  EXPECT_EQ(length_before_stop("a text\nUse", stop), 6u);
  EXPECT_EQ(length_before_stop("a text\nUsed", stop), 11u);
  EXPECT_EQ(length_before_stop("a END text", stop), 2u);
}

}  // namespace
}  // namespace weft::predict
