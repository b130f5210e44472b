#include "apps/weft/output/subtitles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::app {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

std::vector<Cue> cues_of(const std::vector<TimedWord>& words) {
  CueBuilder builder;
  std::vector<Cue> out;
  for (const TimedWord& word : words) builder.add({&word, 1}, out);
  builder.finish(out);
  return out;
}
std::vector<std::string> texts_of(const std::vector<Cue>& cues) {
  std::vector<std::string> out;
  for (const Cue& cue : cues) out.push_back(cue.text);
  return out;
}
// Words of these texts, each half a second long, one after the other.
std::vector<TimedWord> words(const std::vector<std::string>& texts) {
  std::vector<TimedWord> out;
  for (const std::string& text : texts) {
    const double begin = static_cast<double>(out.size()) / 2;
    out.push_back({text, begin, begin + 0.5});
  }
  return out;
}

TEST(Cues, EndWhereNothingIsSpoken) {
  const auto cues = cues_of({{"one", 0.2, 0.5}, {"two", 0.9, 1.25}, {"three", 2.05, 2.5}});
  EXPECT_THAT(texts_of(cues), ElementsAre("one two", "three"));
  EXPECT_EQ(cues[0].begin, 200);
  EXPECT_EQ(cues[0].end, 1250);
  EXPECT_EQ(cues[1].begin, 2050);
}

TEST(Cues, LastSevenSecondsAtMost) {
  const auto cues = cues_of(words(std::vector<std::string>(20, "a")));
  ASSERT_THAT(cues, SizeIs(2));
  EXPECT_EQ(cues[0].end, 7000);
  EXPECT_EQ(cues[1].begin, 7000);
}

TEST(Cues, HaveTwoLinesOf42CharactersAtMost) {
  const std::string ten = "ab\u00e9defghij";  // characters, not bytes
  EXPECT_THAT(texts_of(cues_of(words(std::vector<std::string>(7, ten)))),
              ElementsAre(ten + " " + ten + " " + ten + "\n" + ten + " " + ten + " " + ten, ten));
  EXPECT_THAT(texts_of(cues_of(words({"a", std::string(60, 'b'), "c"}))),
              ElementsAre("a\n" + std::string(60, 'b'), "c"));
}

// Words of overlapping windows may go back in time, and be without length.
TEST(Cues, FollowEachOther) {
  const auto cues = cues_of({{"one", 1, 2}, {"two", 1.5, 1.5}, {"three", 4, 4}, {"four", 3, 3.5}});
  EXPECT_THAT(texts_of(cues), ElementsAre("one two", "three four"));
  EXPECT_EQ(cues[0].end, 2001);
  EXPECT_EQ(cues[1].begin, 4000);
  EXPECT_EQ(cues[1].end, 4002);
  EXPECT_THAT(cues_of({}), SizeIs(0));
}

TEST(Subtitles, AreNumberedWithTheirTimes) {
  const Cue cue{3'723'004, 3'724'050, "a & b <i>\n--> c"};
  EXPECT_EQ(SubRip::text_of(cue, 12), "12\n01:02:03,004 --> 01:02:04,050\na & b <i>\n-- > c\n\n");
  EXPECT_EQ(WebVtt::text_of(cue, 12),
            "12\n01:02:03.004 --> 01:02:04.050\na &amp; b &lt;i&gt;\n--&gt; c\n\n");
  EXPECT_EQ(time_text(360'000'000), "100:00:00.000");
}

TEST(Subtitles, HaveNoEmptyLineInACue) {
  EXPECT_THAT(texts_of(cues_of(words({"a\n\nb", "c\rd"}))), ElementsAre("a  b c d"));
}

}  // namespace
}  // namespace weft::app
