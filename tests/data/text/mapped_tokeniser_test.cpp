#include "weft/data/text/mapped_tokeniser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/data/files.h"
#include "weft/core/error.h"
#include "weft/data/text/sentencepiece.h"

namespace weft::data {
namespace {

using testing::HasSubstr;

// The subwords of "a b ab", numbered backwards behind the special symbols, and a language.
class MappedTokeniserTest : public testing::Test {
 protected:
  static TokeniserPtr subwords() {
    static const TokeniserPtr model = load_sentencepiece(
        train_sentencepiece({"ab ba", "a b", "abba"}, {.size = 7, .type = "bpe"}, "test"), "test");
    return model;
  }
  static Vocabulary vocabulary() {
    std::vector<std::string> tokens = {"</s>", "<unk>", ">>ita<<"};
    for (int32_t id = subwords()->size() - 1; id >= 3; --id) {
      tokens.emplace_back(subwords()->piece(id));
    }
    tokens.emplace_back("<pad>");
    return Vocabulary(std::move(tokens), "test");
  }
  const MappedTokeniser tokeniser{subwords(), vocabulary()};
};

TEST_F(MappedTokeniserTest, NumbersSubwordsByTheVocabulary) {
  const std::vector<int32_t> ids = tokeniser.encode("ab ba");
  const std::vector<std::string> expected = pieces(*subwords(), subwords()->encode("ab ba"));
  EXPECT_EQ(pieces(tokeniser, ids), expected);
  EXPECT_EQ(tokeniser.decode(ids), "ab ba");
}

TEST_F(MappedTokeniserTest, TakesALanguageFromTheLine) {
  std::vector<int32_t> ids = tokeniser.encode(">>ita<< ab");
  ASSERT_FALSE(ids.empty());
  EXPECT_EQ(ids.front(), 2);
  ids.erase(ids.begin());
  EXPECT_EQ(ids, tokeniser.encode("ab"));
  EXPECT_NE(tokeniser.encode(">>deu<< ab").front(), 2);  // one it does not know is text
}

TEST_F(MappedTokeniserTest, KnowsWhatNeitherListsAsUnknown) {
  const std::vector<int32_t> ids = tokeniser.encode("q");
  EXPECT_THAT(ids, testing::Contains(tokeniser.unknown_id()));
  EXPECT_THAT(tokeniser.decode(ids), HasSubstr("<unk>"));
}

TEST_F(MappedTokeniserTest, LeavesSpecialSymbolsOutOfText) {
  const std::vector<int32_t> ids = {0, tokeniser.size() - 1};
  EXPECT_EQ(tokeniser.decode(ids), "");
  EXPECT_THROW(tokeniser.decode(std::vector<int32_t>{tokeniser.size()}), FormatError);
}

TEST_F(MappedTokeniserTest, ComesBackFromItsBytes) {
  const std::string bytes = tokeniser.serialise();
  const TokeniserPtr back = load_tokeniser(bytes, "test");
  EXPECT_EQ(back->kind(), "mapped");
  EXPECT_EQ(back->serialise(), bytes);
  EXPECT_EQ(back->encode("ab ba q"), tokeniser.encode("ab ba q"));
  for (const size_t length : {size_t{14}, size_t{16}, size_t{30}}) {
    EXPECT_THROW(load_tokeniser(bytes.substr(0, length), "test"), FormatError) << length;
  }
}

}  // namespace
}  // namespace weft::data
