// Translations that hold what a file says.
#include "weft/predict/translation/constraint_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/decode/small_session.h"
#include "tests/predict/predicted.h"
#include "tests/support/errors.h"
#include "weft/core/error.h"
#include "weft/predict/translation/translator.h"

namespace weft::predict {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using decode::small_options;
using decode::small_session;

class ConstraintLinesTest : public testing::Test {
 protected:
  ConstraintLines read(const std::string& text) {
    return ConstraintLines(scratch_.file("phrases", text), session_.target());
  }
  Translator translator(const std::string& text, const decode::DecodeOptions& options = {},
                        const std::vector<std::string>& banned = {}) {
    Translator out(session_, options, banned);
    out.use_constraints(read(text));
    return out;
  }
  test::Scratch scratch_;
  model_file::TranslatorSession session_ = small_session(small_options());
};

TEST_F(ConstraintLinesTest, ArePhrasesPartedByTabs) {
  const ConstraintLines lines = read("w1 w2\tw3\n\n\t w4 \t\t\n");
  EXPECT_THAT(lines.of(0), ElementsAre(ElementsAre(4, 5), ElementsAre(6)));
  EXPECT_THAT(lines.of(1), ElementsAre());
  EXPECT_THAT(lines.of(2), ElementsAre(ElementsAre(7)));
  lines.check_lines(3);
}

TEST_F(ConstraintLinesTest, AreHeldByTheTranslationsOfTheirLines) {
  const std::vector<std::string> lines = {"w1 w2", "w3", "w4 w5 w6", "w7"};
  const Translator free(session_, {.beam_size = 6});
  const std::vector<std::string> plain = test::translated(free, lines);
  for (const int64_t beam : {1, 2, 6}) {
    for (const int64_t batch : {1, 3}) {
      const Translator bound =
          translator("w9 w8\tw7\n\nw30\nw1\n", {.beam_size = beam, .mini_batch = batch});
      Report report;
      const std::vector<std::string> out = test::translated(bound, lines, report);
      EXPECT_THAT(" " + out[0] + " ", testing::AllOf(HasSubstr(" w9 w8 "), HasSubstr(" w7 ")));
      EXPECT_THAT(" " + out[2] + " ", HasSubstr(" w30 "));
      EXPECT_THAT(" " + out[3] + " ", HasSubstr(" w1 "));
      if (beam == 6) {
        EXPECT_EQ(out[1], plain[1]);
      }
      EXPECT_EQ(report.count(Note::kIncomplete), 0);
      bound.check_constraints_used(report);
    }
  }
}

TEST_F(ConstraintLinesTest, GoOnFromBatchToBatchAndStartAgain) {
  const Translator bound = translator("w9\nw8\nw7\n");
  Report report;
  test::translated(bound, {"w1", "w2"}, report);
  const std::string third = test::translated(bound, {"w3"}, report)[0];
  EXPECT_THAT(" " + third + " ", HasSubstr(" w7 "));
  EXPECT_THAT(" " + test::translated(bound, {"w3"})[0] + " ", HasSubstr(" w9 "));
}

TEST_F(ConstraintLinesTest, ReachThroughAShortlist) {
  Translator bound = translator("w20 w21\n");
  const decode::ShortlistOptions list{.path = scratch_.file("lexicon", "w5 w1 0.9\n"), .first = 3};
  bound.use_shortlist(decode::Shortlist(list, session_.source(), session_.target()));
  EXPECT_THAT(test::translated(bound, {"w1 w2"})[0], HasSubstr("w20 w21"));
}

TEST_F(ConstraintLinesTest, ThatCannotBeHeldAreCounted) {
  // Nothing that is said once may be said again; an empty line's translation is empty.
  const Translator bound =
      translator("w9 w9\nw8\nw8\n", {.beam_size = 2, .no_repeat_ngram_size = 1});
  Report report;
  test::translated(bound, {"w1 w2", "", "w3"}, report);
  EXPECT_EQ(report.count(Note::kIncomplete), 2);
  EXPECT_GE(report.problems(), 2);
  EXPECT_THAT(report.text(), HasSubstr("2 whose output lacks what it had to hold"));
}

TEST_F(ConstraintLinesTest, SayWhatIsWrongWithThem) {
  EXPECT_THAT(test::message_of<Error>([&] { read("w1\nw2\tcat w3\n"); }),
              HasSubstr("phrases:2: 'cat w3' cannot be spelled"));
  EXPECT_THAT(
      test::message_of<Error>([&] { translator("\nw1 w2\tw3 w4\n", {.max_output_length = 4}); }),
      HasSubstr("phrases:2: demands 4 tokens; expected at most 3"));
  EXPECT_THAT(test::message_of<Error>([&] {
                translator("w1\tw2 w3 w4\n", {}, {"w9", "w3 w4"});
              }),
              HasSubstr("phrases:1: phrase 2 is demanded and banned"));
  EXPECT_THAT(test::message_of<Error>(
                  [&] { translator("w1\n", {.sampling = {.kind = decode::FromTopK{}}}); }),
              HasSubstr("--constraints: contradicts --sampling"));
  EXPECT_THAT(
      test::message_of<Error>([&] {
        test::translated(translator("w1\n"), {"w1", "w2"});
      }),
      HasSubstr("phrases: has 1 line; expected one for each line of the text, which has more"));
  EXPECT_THAT(test::message_of<Error>([&] {
                const Translator bound = translator("w1\nw2\n");
                Report report;
                test::translated(bound, {"w1"}, report);
                bound.check_constraints_used(report);
              }),
              HasSubstr("phrases: has 2 lines; expected 1, one for each line of the text"));
  EXPECT_THROW(ConstraintLines("none", session_.target()), FileError);
}

}  // namespace
}  // namespace weft::predict
