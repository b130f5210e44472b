#include "weft/data/sequences/line_sequences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"
#include "weft/data/sequences/token_sequences.h"
#include "weft/data/text/plain_tokeniser.h"

namespace weft::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Ids 3, 4, ... after the special symbols.
TokeniserPtr four_characters() {
  return make_plain_tokeniser(Vocabulary({" ", "a", "b", "c"}, "characters"));
}

class LineSequencesTest : public testing::Test {
 protected:
  LineSequences read(const std::string& text, const TokenOptions& tokens) const {
    return {{folder_.file("text", text)}, tokens, *tokeniser_};
  }

  test::Scratch folder_;
  TokeniserPtr tokeniser_ = four_characters();
};

TEST_F(LineSequencesTest, CutsLongLines) {
  const LineSequences lines = read("abcab\n\nc\n", {.max_length = 2, .with_begin = true});
  ASSERT_EQ(lines.size(), 4);
  EXPECT_EQ(lines.report().substr(lines.report().find(": ")),
            ": 2 lines, 4 sequences, 6 tokens, unknown 0 %");
  const int64_t examples[] = {0, 2};
  const Batch batch = lines.batch(examples);
  EXPECT_THAT(batch.tokens(0).ids, ElementsAre(2, 4, 5, 0, 2, 5, 0));
  EXPECT_THAT(std::get<Labels>(batch.fields[1]).ids,
              ElementsAre(kNoLabel, 0, 1, kNoLabel, kNoLabel, 0, kNoLabel));
  EXPECT_EQ(lines.cost(0).rows, 4);
  EXPECT_EQ(lines.known_tokens(2), 1);
}

TEST_F(LineSequencesTest, NumbersTheTokensOfWords) {
  const LineSequences lines = read("ab cxa b\nxx\n", {.by_word = true});
  ASSERT_EQ(lines.size(), 1);  // the second has unknown tokens alone
  const int64_t examples[] = {0};
  const Batch batch = lines.batch(examples);
  EXPECT_THAT(batch.tokens(0).ids, ElementsAre(4, 5, 6, 1, 4, 5, 0));
  EXPECT_THAT(std::get<Labels>(batch.fields[1]).ids,
              ElementsAre(0, 0, 1, kNoLabel, 1, 2, kNoLabel));
  EXPECT_EQ(lines.known_tokens(0), 5);
}

TEST_F(LineSequencesTest, ReportsWhatItCannotRead) {
  EXPECT_THAT(test::message_of<FormatError>([&] { read("xx\n", {}); }),
              HasSubstr("no line with a known token; expected at least one"));
  EXPECT_THAT(test::message_of<FormatError>([&] { read("a\n\xff\n", {}); }), HasSubstr("UTF-8"));
  EXPECT_NE(read("ab\n", {}).fingerprint(), read("ba\n", {}).fingerprint());
  EXPECT_NE(read("a b\n", {.by_word = true}).fingerprint(),
            read("ab\n", {.by_word = true}).fingerprint());
}

}  // namespace
}  // namespace weft::data
