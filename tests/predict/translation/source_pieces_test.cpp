#include "weft/predict/translation/source_pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/scratch.h"

namespace weft::predict {
namespace {

using testing::ElementsAre;

// Every character is a token, the space too.
data::TokeniserPtr characters() {
  const test::Scratch scratch;
  return data::load_tokeniser_file(scratch.file("list", "</s>\n<unk>\n<s>\n \na\nb\nc\n.\n"));
}

std::vector<std::string> texts_of(const SourcePieces& source, const data::Tokeniser& tokeniser) {
  std::vector<std::string> out;
  for (const std::vector<int32_t>& ids : source.pieces) out.push_back(tokeniser.decode(ids));
  return out;
}

TEST(SourcePieces, HoldNoMoreTokensThanTheyMayTogether) {
  const data::TokeniserPtr tokeniser = characters();
  // Two sentences of two tokens each are five with the space between them.
  const SourcePieces four = cut_source(*tokeniser, "a. b. c. ab.", 4);
  EXPECT_THAT(texts_of(four, *tokeniser), ElementsAre("a.", "b.", "c.", "ab."));
  const SourcePieces five = cut_source(*tokeniser, "a. b. c. ab.", 5);
  EXPECT_THAT(texts_of(five, *tokeniser), ElementsAre("a. b.", "c.", "ab."));
  EXPECT_FALSE(four.is_cropped || five.is_cropped);
}

TEST(SourcePieces, OfATextThatFitsAreOne) {
  const data::TokeniserPtr tokeniser = characters();
  EXPECT_THAT(texts_of(cut_source(*tokeniser, "a. b.", 5), *tokeniser), ElementsAre("a. b."));
  EXPECT_TRUE(cut_source(*tokeniser, "", 5).pieces.empty());
}

TEST(SourcePieces, LoseTheEndOfASentenceThatIsTooLong) {
  const data::TokeniserPtr tokeniser = characters();
  const SourcePieces source = cut_source(*tokeniser, "a. abcabc. c.", 4);
  EXPECT_THAT(texts_of(source, *tokeniser), ElementsAre("a.", "abca", "c."));
  EXPECT_TRUE(source.is_cropped);
}

}  // namespace
}  // namespace weft::predict
