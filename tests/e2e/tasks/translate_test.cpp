// weft translate and weft score: inputs, outputs and their consistency.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <iterator>

#include "tests/e2e/translating.h"
#include "tests/support/paths.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

class Translate : public Translating {
 protected:
  Translate() : Translating(30) {}

  ProcessResult run(std::vector<std::string> args, const std::string& input = "") {
    args.insert(args.begin() + 1, {"-m", "model"});
    return Translating::run(args, input);
  }
};

TEST_F(Translate, WritesALinePerLineInOrder) {
  const std::string expected = run({"translate"}, text_).output;
  EXPECT_EQ(split_lines(expected).size(), 30u);
  scratch_.file("in", text_);
  EXPECT_EQ(
      run({"translate", "-i", "in", "-o", "out", "--mini-batch", "7", "--threads", "2"}).output,
      "");
  EXPECT_EQ(read_bytes(scratch_.path("out")), expected);
  EXPECT_EQ(run({"translate", "--mini-batch", "3", "--maxi-batch", "2"}, text_).output, expected);
  // A last line without a line break is a line; empty input has no lines.
  EXPECT_EQ(run({"translate"}, text_.substr(0, text_.size() - 1)).output, expected);
  EXPECT_EQ(run({"translate"}, "").output, "");
}

TEST_F(Translate, ReadsStandardInputAsItReadsAFile) {
  const std::string marked = "\xEF\xBB\xBF" + text_;
  scratch_.file("in", marked);
  const std::string expected = run({"translate", "--word-scores"}, text_).output;
  EXPECT_EQ(run({"translate", "--word-scores"}, marked).output, expected);
  EXPECT_EQ(run({"translate", "--word-scores", "-i", "in"}).output, expected);
}

TEST_F(Translate, LeavesALineOverTheLimitEmpty) {
  const std::string input = "w1\n" + std::string((size_t{1} << 20) + 1, 'x') + "\r\nw2\n";
  scratch_.file("in", input);
  const ProcessResult piped = run({"translate"}, input);
  EXPECT_EQ(piped.output, run({"translate", "-i", "in"}).output);
  EXPECT_EQ(split_lines(piped.output).size(), 3u);
  EXPECT_EQ(split_lines(piped.output).at(1), "");
  EXPECT_THAT(piped.errors, HasSubstr("1 over the limit in bytes"));
}

TEST_F(Translate, RefusesInputWithoutALineEnd) {
  const ProcessResult piped =
      run_process({"/bin/sh", "-c", program_path() + " translate -m model < /dev/zero"},
                  {.folder = scratch_.folder(), .time_limit = 60});
  EXPECT_EQ(piped.status, 1);
  EXPECT_THAT(piped.errors, HasSubstr("stdin: no line end in 256 MiB after line 0"));
}

TEST_F(Translate, FailsIfStandardInputCannotBeRead) {
  const ProcessResult result = run_process(
      {"/bin/sh", "-c", program_path() + " translate -m model < ."}, {.folder = scratch_.folder()});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.errors, HasSubstr("stdin: cannot be read: Is a directory"));
}

TEST_F(Translate, WritesAllLinesButFailsIfStrict) {
  const std::string input = "w1 w2\nw1 \xFF\n\nw3 w4 w5\n";
  for (const bool strict : {false, true}) {
    std::vector<std::string> args = {"translate", "--max-length", "2"};
    if (strict) args.push_back("--strict");
    const ProcessResult result = run(args, input);
    EXPECT_EQ(result.status, strict ? 1 : 0);
    EXPECT_EQ(split_lines(result.output).size(), 4u);
    EXPECT_THAT(result.errors, HasSubstr("4 lines: 1 empty, 1 not UTF-8 (left empty), 1 cropped"));
  }
}

TEST_F(Translate, SplitsLongLinesAtSentenceEndsAndReportsIt) {
  const std::string one = "w1 w2 w3 w4 .", two = "w5 w6 ?", long_one = "w7 w8 w9 w10 w11 w12 w13";
  const std::vector<std::string> alone = split_lines(
      run({"translate", "--min-length", "3"}, one + "\n" + two + "\n" + "w7 w8 w9 w10 w11" + "\n")
          .output);
  for (const bool strict : {false, true}) {
    std::vector<std::string> args = {"translate", "--max-length", "5", "--min-length", "3"};
    if (strict) args.push_back("--strict");
    const ProcessResult result = run(args, one + " " + two + "\n\n" + long_one + "\n");
    EXPECT_EQ(result.status, strict ? 1 : 0);
    EXPECT_THAT(split_lines(result.output),
                testing::ElementsAre(alone[0] + " " + alone[1], "", alone[2]));
    EXPECT_THAT(result.errors, HasSubstr("3 lines: 1 empty, 1 split at sentence ends, 1 cropped"));
  }
  const std::vector<std::string> args = {"translate", "--max-length", "5", "--strict"};
  EXPECT_EQ(run(args, one + " " + two + "\n").status, 1);
}

TEST_F(Translate, ReportsInvalidOptionsAndFiles) {
  EXPECT_THAT(run({"translate", "-n", "1", "--length-penalty", "1"}).errors,
              HasSubstr("--length-penalty: contradicts --normalize"));
  EXPECT_THAT(run({"translate", "-i", "none"}).errors, HasSubstr("none: cannot be opened"));
  EXPECT_THAT(run({"translate", "-o", "no/such"}, text_).errors,
              HasSubstr("no/such: cannot be written"));
  EXPECT_THAT(run({"translate", "-o", "/dev/full"}, text_).errors,
              HasSubstr("/dev/full: cannot be written"));
}

TEST_F(Translate, DividesScoresByLengthByDefault) {
  const auto found = [&](std::vector<std::string> args) {
    args.insert(args.begin(), {"translate", "--n-best"});
    return run(args, text_).output;
  };
  const std::string divided = found({"--normalize"});
  EXPECT_EQ(found({}), divided);
  EXPECT_EQ(found({"--normalize", "auto"}), divided);
  EXPECT_NE(found({"--normalize", "0"}), divided);
  EXPECT_EQ(found({"--length-penalty", "1"}), found({"--normalize", "0", "--length-penalty", "1"}));
}

TEST_F(Translate, GivesTheScoresOfScoring) {
  const ProcessResult found = run({"translate", "--n-best", "-b", "3"}, text_);
  const std::vector<std::string> lines = split_lines(text_);
  std::string sources, targets;
  std::vector<double> expected;
  for (const std::string& line : split_lines(found.output)) {
    const size_t text = line.find(" ||| ") + 5, feature = line.find(" ||| F0= ");
    const auto number = static_cast<size_t>(std::stoi(line));
    if (feature - text == 0) continue;  // the model is not run on empty lines
    sources += lines[number] + "\n";
    targets += line.substr(text, feature - text) + "\n";
    expected.push_back(std::stod(line.substr(feature + 9)));
  }
  ASSERT_GT(expected.size(), 40u);
  scratch_.file("source", sources);
  scratch_.file("target", targets);
  const auto scores = split_lines(run({"score", "-t", "source", "target"}).output);
  ASSERT_EQ(scores.size(), expected.size());
  int ended = 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    // A translation truncated at its maximum length has no end symbol, which scoring adds.
    const double difference = std::stod(scores[i]) - expected[i];
    EXPECT_LT(difference, 1e-4);
    ended += std::abs(difference) < 1e-4 ? 1 : 0;
  }
  EXPECT_GT(ended, 30);
}

std::vector<double> numbers_in(std::string text) {
  std::replace(text.begin(), text.end(), ',', ' ');
  std::istringstream in(text);
  return {std::istream_iterator<double>(in), {}};
}

// Scoring a translation gives its alignment in translation; for truncated ones also the end
// symbol's.
TEST_F(Translate, AlignsTranslationsAsInTranslating) {
  std::string target;
  std::vector<std::string> expected;
  for (const std::string& line :
       split_lines(run({"translate", "--alignment", "soft"}, text_).output)) {
    const size_t mark = line.find(" ||| ");
    target += line.substr(0, mark) + "\n";
    expected.push_back(line.substr(mark + 5));
  }
  scratch_.file("source", text_);
  scratch_.file("target", target);
  const auto got =
      split_lines(run({"score", "-t", "source", "target", "--alignment", "soft"}).output);
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    const auto seen = numbers_in(expected[i]), scored = numbers_in(got[i]);
    ASSERT_GE(scored.size(), seen.size());
    for (size_t k = 0; k < seen.size(); ++k) EXPECT_NEAR(scored[k], seen[k], 2e-6) << i;
  }
  EXPECT_THAT(run({"score", "-t", "source", "target", "--alignment", "hard", "-n"}).errors,
              HasSubstr("--alignment: replaces scores; contradicts --normalize"));
  EXPECT_THAT(run({"score", "-t", "source", "target", "--alignment-heads", "1.1"}).errors,
              HasSubstr("--alignment-heads: needs --alignment"));
}

TEST_F(Translate, PrintsAlignmentsAfterTranslations) {
  const std::vector<std::string> plain = split_lines(run({"translate", "-b", "2"}, text_).output);
  for (const char* kind : {"hard", "soft"}) {
    const auto aligned =
        split_lines(run({"translate", "-b", "2", "--alignment", kind}, text_).output);
    ASSERT_EQ(aligned.size(), plain.size());
    for (size_t i = 0; i < plain.size(); ++i) {
      EXPECT_THAT(aligned[i], testing::StartsWith(plain[i] + " ||| "));
    }
  }
  const std::string best =
      run({"translate", "-b", "2", "--n-best", "--alignment", "hard"}, "w1 w2\n").output;
  EXPECT_THAT(split_lines(best)[0],
              testing::MatchesRegex("0 \\|\\|\\| .* \\|\\|\\| ([01]-[0-9]+ ?)* "
                                    "\\|\\|\\| F0= .* \\|\\|\\| .*"));
  EXPECT_EQ(run({"translate", "--alignment", "hard"}, "\n").output, " ||| \n");
  EXPECT_THAT(run({"translate", "--alignment", "hard", "--alignment-heads", "9.9"}).errors,
              HasSubstr("--alignment-heads: '9.9' is no head of the decoder"));
  EXPECT_THAT(run({"translate", "--alignment-heads", "1.1"}).errors,
              HasSubstr("--alignment-heads: needs --alignment"));
}

TEST_F(Translate, StreamsTheSameText) {
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"-b", "1"}, {"-b", "4", "-n"}, {"--sampling", "topk"}}) {
    std::vector<std::string> args = {"translate"};
    args.insert(args.end(), more.begin(), more.end());
    const std::string expected = run(args, text_).output;
    args.emplace_back("--stream");
    EXPECT_EQ(run(args, text_).output, expected);
    args.insert(args.end(), {"-o", "out"});
    run(args, text_);
    EXPECT_EQ(read_bytes(scratch_.path("out")), expected);
  }
  const ProcessResult both = run({"translate", "--stream", "--n-best"});
  EXPECT_EQ(both.status, 2);
  EXPECT_THAT(both.errors, HasSubstr("--stream: contradicts --n-best"));
}

TEST_F(Translate, UsesAShortlist) {
  scratch_.file("lex", "w9 w1 0.5\nw8 w2 0.5\n");
  EXPECT_THAT(
      run({"translate", "--shortlist", "lex", "0", "1", "--min-length", "2"}, "w1\nw2 w1\n").output,
      testing::MatchesRegex("w9 w9[w9 ]*\nw[89] w[89][w89 ]*\n"));
  EXPECT_EQ(run({"translate", "--shortlist", "lex", "1000"}, text_).output,
            run({"translate"}, text_).output);
  EXPECT_THAT(run({"translate", "--shortlist", "none"}).errors,
              HasSubstr("none: cannot be opened"));
  for (const std::vector<std::string>& bad :
       {std::vector<std::string>{"lex", "x"}, {"lex", "1", "1.5"}, {"lex", "1", "2", "3"}}) {
    std::vector<std::string> args = {"translate", "--shortlist"};
    args.insert(args.end(), bad.begin(), bad.end());
    EXPECT_THAT(run(args).errors, HasSubstr("--shortlist: expected FILE [FIRST BEST]"));
  }
}

TEST_F(Translate, ScoresSumUpToTheirSummary) {
  scratch_.file("pairs", "w1 w2\tw3 w4 w5\nw6\tw7\n");
  const ProcessResult scored = run({"score", "-t", "pairs", "--tsv"});
  EXPECT_THAT(scored.errors, HasSubstr("scored 2 pairs in "));
  const auto scores = split_lines(scored.output);
  const auto normalised = split_lines(run({"score", "-t", "pairs", "--tsv", "-n"}).output);
  ASSERT_EQ(scores.size(), 2u);
  EXPECT_NEAR(std::stod(normalised[0]), std::stod(scores[0]) / 4, 1e-5);
  const double mean = -(std::stod(scores[0]) + std::stod(scores[1])) / 6;
  EXPECT_NEAR(std::stod(run({"score", "-t", "pairs", "--tsv", "--summary"}).output), mean, 1e-5);
  EXPECT_NEAR(std::stod(run({"score", "-t", "pairs", "--tsv", "--summary=perplexity"}).output),
              std::exp(mean), 1e-3);
}

TEST_F(Translate, ScoringCropsLongLines) {
  const auto words = [](int count) {
    std::string out = "w1";
    for (int i = 1; i < count; ++i) out += i % 3 == 0 ? " w2" : " w3";
    return out;
  };
  scratch_.file("long", words(1010) + "\t" + words(1020) + "\n");
  scratch_.file("most", words(1000) + "\t" + words(1000) + "\n");
  scratch_.file("short", words(3) + "\t" + words(3) + "\n");
  const ProcessResult cropped = run({"score", "-t", "long", "--tsv", "--strict"});
  EXPECT_EQ(cropped.status, 1);
  EXPECT_THAT(cropped.errors, HasSubstr("1 cropped"));
  EXPECT_EQ(cropped.output, run({"score", "-t", "most", "--tsv", "--strict"}).output);
  EXPECT_EQ(run({"score", "-t", "long", "--tsv", "--max-length", "3"}).output,
            run({"score", "-t", "short", "--tsv"}).output);
}

TEST_F(Translate, ScoringReportsInvalidFiles) {
  scratch_.file("one", "w1\n");
  scratch_.file("two", "w1\nw2\n");
  EXPECT_THAT(run({"score", "-t", "one", "two"}).errors, HasSubstr("files of different length"));
  const ProcessResult alone = run({"score", "-t", "one"});
  EXPECT_EQ(alone.status, 2);
  EXPECT_THAT(alone.errors, HasSubstr("--train-sets: expected a source and a target file"));
  const ProcessResult both = run({"score", "-t", "one", "one", "--summary", "-n"});
  EXPECT_EQ(both.status, 2);
  EXPECT_THAT(both.errors, HasSubstr("--normalize: applies to scores of lines"));
  scratch_.file("bad", "\xFF\n");
  const ProcessResult strict = run({"score", "-t", "one", "bad", "--strict"});
  EXPECT_EQ(strict.status, 1);
  EXPECT_EQ(split_lines(strict.output).size(), 1u);
}

}  // namespace
}  // namespace weft::test
