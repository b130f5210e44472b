#include "weft/data/sequences/text_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"
#include "weft/data/text/plain_tokeniser.h"

namespace weft::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class TextGroupFiles : public testing::Test {
 protected:
  TextGroups read(const std::string& text, bool has_scores = false, int64_t max_length = 0) {
    return {{.groups = {folder_.file("texts.tsv", text)}, .has_scores = has_scores},
            {.max_length = max_length},
            *tokeniser_};
  }
  std::string fault(const std::string& text, bool has_scores = false) {
    const std::string message =
        weft::test::message_of<FormatError>([&] { read(text, has_scores); });
    return message.substr(message.find("texts.tsv"));
  }

  test::Scratch folder_;
  TokeniserPtr tokeniser_ =
      make_plain_tokeniser(Vocabulary(std::vector<std::string>{"a", "b", "c"}, "words"));
};

TEST_F(TextGroupFiles, AreBatchesOfAFieldForEachText) {
  const TextGroups groups = read("a b\tc\ta\n\nb\ta a\tc\n");
  ASSERT_EQ(groups.size(), 2);
  EXPECT_EQ(groups.columns(), 3);
  const int32_t end = tokeniser_->end_id();
  const Batch batch = groups.batch(std::vector<int64_t>{1, 0});
  ASSERT_EQ(batch.fields.size(), 3u);
  const std::vector<int32_t> ids = tokeniser_->encode("a a");
  EXPECT_THAT(batch.tokens(1).segments.offsets, ElementsAre(0, 3, 5));
  EXPECT_THAT(batch.tokens(1).ids, ElementsAre(ids[0], ids[1], end, testing::_, end));
  EXPECT_EQ(groups.cost(0).rows, 3 + 2 + 2);
  EXPECT_THAT(groups.report(), HasSubstr("texts.tsv: 2 lines of 3 texts; 14 tokens, unknown 0 %"));
}

TEST_F(TextGroupFiles, HaveScores) {
  const TextGroups groups = read("a\tb\t0.5\nb c\tx\t-2e0\n", true, 1);
  EXPECT_EQ(groups.columns(), 2);
  EXPECT_EQ(groups.score(1), -2);
  const Batch batch = groups.batch(std::vector<int64_t>{0, 1});
  ASSERT_EQ(batch.fields.size(), 3u);
  EXPECT_THAT(std::get<Labels>(batch.fields[2]).values, ElementsAre(0.5F, -2.0F));
  EXPECT_THAT(groups.report(), HasSubstr("2 lines of 2 texts and a score; 8 tokens, unknown 12 %; "
                                         "1 text cropped to --max-length"));
}

TEST_F(TextGroupFiles, AreToldApartByTheirFingerprint) {
  const uint64_t one = read("a\tb\n").fingerprint();
  EXPECT_EQ(read("a\tb\n").fingerprint(), one);
  EXPECT_NE(read("a b\tb\n").fingerprint(), one);
  EXPECT_NE(read("a\tb\t1\n", true).fingerprint(), read("a\tb\t2\n", true).fingerprint());
}

TEST_F(TextGroupFiles, NameTheLineThatIsWrong) {
  EXPECT_EQ(fault("a\tb\na\n"),
            "texts.tsv:2: 1 column; expected two texts or more, separated by tabs");
  EXPECT_EQ(fault("a\tb\na\tb\tc\n"), "texts.tsv:2: 3 texts; expected 2, as in the first line");
  EXPECT_EQ(fault("a\t \n"), "texts.tsv:1: column 2 has no word");
  EXPECT_EQ(fault("a\tb\n", true),
            "texts.tsv:1: 2 columns; expected two texts and a number, separated by tabs");
  for (const std::string number : {"x", "1x", "", "nan", "inf", "1e999"}) {
    EXPECT_EQ(fault("a\tb\t" + number + "\n", true),
              "texts.tsv:1: the last column is '" + number + "'; expected a number");
  }
  EXPECT_EQ(fault("a\t\xFF\n"), "texts.tsv:1: is not UTF-8; expected text");
  EXPECT_EQ(fault("\n"), "texts.tsv: no lines; expected at least one");
}

// Lines of one text come last in a batch, with texts of special symbols alone beside them.
TEST_F(TextGroupFiles, MayBeSingleTextsToo) {
  const TextGroups groups({.groups = {folder_.file("texts.tsv", "a\tb\t0.5\n")},
                           .has_scores = true,
                           .texts = {folder_.file("lines.txt", "c c\n\nb\n")}},
                          {}, *tokeniser_);
  EXPECT_EQ(groups.size(), 3);
  EXPECT_EQ(groups.groups(), 1);
  EXPECT_EQ(groups.columns(), 2);
  const Batch batch = groups.batch(std::vector<int64_t>{1, 0});
  EXPECT_THAT(batch.examples, ElementsAre(0, 1));
  EXPECT_THAT(batch.tokens(0).ids, ElementsAre(3, 0, 5, 5, 0));
  EXPECT_THAT(batch.tokens(1).ids, ElementsAre(4, 0, 0));
  const auto& scores = std::get<Labels>(batch.fields[2]);
  EXPECT_THAT(scores.values, ElementsAre(0.5F));
  EXPECT_THAT(scores.segments.offsets, ElementsAre(0, 1, 1));
  EXPECT_THAT(groups.report(), HasSubstr("1 line of 2 texts and a score, 2 lines of one text; "));
  const TextGroups alone({.texts = {folder_.path("lines.txt")}}, {}, *tokeniser_);
  EXPECT_EQ(alone.columns(), 1);
  EXPECT_EQ(alone.groups(), 0);
}

}  // namespace
}  // namespace weft::data
