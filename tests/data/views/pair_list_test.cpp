#include "weft/data/views/pair_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"

namespace weft::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string refusal(const std::string& line) {
  return test::message_of<FormatError>([&] { parse_pair(line, "pairs.tsv:3"); });
}

TEST(ParsePair, ReadsTwoPathsAndAnyCountOfNumbers) {
  const ListedPair plain = parse_pair("a b.png\tc.png", "");
  EXPECT_EQ(plain.first, "a b.png");
  EXPECT_EQ(plain.second, "c.png");
  EXPECT_THAT(plain.numbers, ElementsAre());
  EXPECT_THAT(parse_pair("a\tb\t-0.5\t1e3\t7", "").numbers, ElementsAre(-0.5f, 1000.0f, 7.0f));
}

TEST(ParsePair, NamesTheLineAndWhatIsWrong) {
  EXPECT_THAT(refusal(""), StartsWith("pairs.tsv:3: expected the paths of two pictures"));
  EXPECT_THAT(refusal("a.png"), HasSubstr("got 'a.png'"));
  EXPECT_THAT(refusal("\tb.png"), HasSubstr("expected the paths"));
  EXPECT_THAT(refusal("a.png\t"), HasSubstr("expected the paths"));
  EXPECT_EQ(refusal("a\tb\t1\tx"), "pairs.tsv:3: column 4: expected a number, got 'x'");
  for (const char* number : {"", "nan", "inf", "1e99", "1 ", " 1", "1,5", "0x1"}) {
    EXPECT_THAT(refusal(std::string("a\tb\t") + number), HasSubstr("column 3: expected a number"))
        << number;
  }
  EXPECT_THAT(refusal(std::string("a\0b\tc", 5)), HasSubstr("a path with a zero byte"));
}

TEST(PairList, StartsPathsInItsFolder) {
  const test::Scratch folder;
  const PairList list = read_pair_list(folder.file("pairs.tsv", "a.png\t/b.png\t1\nc\td\t2\n"));
  ASSERT_EQ(list.pairs.size(), 2u);
  EXPECT_EQ(list.pairs[0].first, folder.path("a.png"));
  EXPECT_EQ(list.pairs[0].second, "/b.png");
  EXPECT_EQ(list.numbers(), 1);
}

TEST(PairList, RefusesLinesOfOtherCountsAndAnEmptyFile) {
  const test::Scratch folder;
  const std::string path = folder.file("pairs.tsv", "a\tb\t1\na\tb\t1\t2\n");
  EXPECT_EQ(test::message_of<FormatError>([&] { read_pair_list(path); }),
            path + ":2: 2 numbers; expected 1, as in line 1");
  folder.file("pairs.tsv", "");
  EXPECT_THAT(test::message_of<FormatError>([&] { read_pair_list(path); }),
              HasSubstr("has no pair; expected one a line"));
  EXPECT_THROW(read_pair_list(folder.path("none")), FileError);
}

}  // namespace
}  // namespace weft::data
