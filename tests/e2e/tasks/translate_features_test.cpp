// weft translate with several models, word scores and required phrases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/translating.h"
#include "tests/support/options.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

class TranslateFeatures : public Translating {
 protected:
  TranslateFeatures() : Translating(12) {
    models::Seq2SeqOptions smaller = decode::small_options();
    smaller.encoder.dim_emb = 16;
    test::set(smaller, "--transformer-norm pre");
    save("two", decode::small_session(smaller));
    save("others", decode::small_session(smaller, "other\n"));
  }

  ProcessResult translate(std::vector<std::string> args, const std::string& input) const {
    args.insert(args.begin(), "translate");
    return run(args, input);
  }
};

TEST_F(TranslateFeatures, SeveralModelsTranslateTogether) {
  const std::string one = translate({"-m", "model"}, text_).output;
  EXPECT_EQ(translate({"-m", "model", "model"}, text_).output, one);
  EXPECT_EQ(translate({"--models", "model", "model", "--weights", "0.7", "0.3"}, text_).output,
            one);
  const std::string both = translate({"-m", "model", "two"}, text_).output;
  EXPECT_EQ(split_lines(both).size(), 12u);
  EXPECT_EQ(translate({"-m", "model", "-m", "two", "--mini-batch", "5"}, text_).output, both);
  EXPECT_NE(both, one);
  scratch_.file("both.yml", "models: [model, two]\nweights: [1, 1]\n");
  EXPECT_EQ(translate({"-c", "both.yml"}, text_).output, both);
}

TEST_F(TranslateFeatures, ReportIncompatibleModels) {
  const ProcessResult others = translate({"-m", "model", "others"}, text_);
  EXPECT_EQ(others.status, 2);
  EXPECT_THAT(others.errors,
              HasSubstr("others: its source vocabulary differs from that of the first"));
  EXPECT_THAT(translate({"-m", "model", "two", "--weights", "1"}, text_).errors,
              HasSubstr("--weights: expected one for each of 2 models, got 1"));
  EXPECT_THAT(translate({"-m", "model", "two", "--weights", "1", "0"}, text_).errors,
              HasSubstr("--weights: out of range"));
  EXPECT_THAT(translate({"-m", "model", "none"}, text_).errors,
              HasSubstr("none: no such model file"));
}

TEST_F(TranslateFeatures, WordScoresFollowTheText) {
  const auto plain = split_lines(translate({"-m", "model"}, text_).output);
  const auto scored = split_lines(translate({"-m", "model", "--word-scores"}, text_).output);
  ASSERT_EQ(scored.size(), plain.size());
  for (size_t i = 0; i < plain.size(); ++i) {
    EXPECT_THAT(scored[i], testing::StartsWith(plain[i] + " ||| WordScores="));
  }
}

TEST_F(TranslateFeatures, TranslationsContainTheirPhrases) {
  scratch_.file("phrases", "w9 w8\tw7\n\nw5\n");
  const std::string input = "w1 w2\nw3\nw4 w5 w6\n";
  for (const char* beam : {"1", "6"}) {
    const ProcessResult result =
        translate({"-m", "model", "--constraints", "phrases", "-b", beam}, input);
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_THAT(result.errors, testing::Not(HasSubstr("lacks what it had to hold")));
    const auto out = split_lines(result.output);
    ASSERT_EQ(out.size(), 3u);
    EXPECT_THAT(" " + out[0] + " ", testing::AllOf(HasSubstr(" w9 w8 "), HasSubstr(" w7 ")));
    EXPECT_THAT(" " + out[2] + " ", HasSubstr(" w5 "));
  }
}

TEST_F(TranslateFeatures, PhrasesThatCannotBeUsedAreErrors) {
  scratch_.file("phrases", "w9 w9\n");
  const ProcessResult result = translate(
      {"-m", "model", "--constraints", "phrases", "--no-repeat-ngram-size", "1", "--strict"},
      "w1\n");
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(split_lines(result.output).size(), 1u);
  EXPECT_THAT(result.errors, HasSubstr("1 whose output lacks what it had to hold"));
}

TEST_F(TranslateFeatures, PhrasesNeedALineForEachLine) {
  scratch_.file("phrases", "w9\nw8\n");
  const std::vector<std::string> args = {"-m", "model", "--constraints", "phrases"};
  const ProcessResult fewer = translate(args, "w1\n"), more = translate(args, "w1\nw2\nw3\n");
  EXPECT_EQ(fewer.status, 1);
  EXPECT_EQ(split_lines(fewer.output).size(), 1u);
  EXPECT_THAT(fewer.errors,
              HasSubstr("phrases: has 2 lines; expected 1, one for each line of the text"));
  EXPECT_EQ(more.status, 1);
  EXPECT_THAT(more.errors,
              HasSubstr("phrases: has 2 lines; expected one for each line of the text"));
}

}  // namespace
}  // namespace weft::test
