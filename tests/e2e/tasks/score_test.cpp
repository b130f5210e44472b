// weft score with language models.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/e2e/program.h"
#include "tests/e2e/translating.h"
#include "tests/model_file/small_language_model.h"
#include "tests/support/scratch.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

class Score : public testing::Test {
 protected:
  Score() {
    const auto session = model_file::small_language_model();
    model_file::save(folder_.path("m.safetensors"), session, session.parameters);
    folder_.file("lines", "w1 w2 w3\n\nw4 w5\n");
    folder_.file("text", "w1 w2 w3 w4\nw5 w6 w7 w8 w9\n");
  }
  ProcessResult run(std::vector<std::string> args, const std::string& input = "") const {
    args.insert(args.begin(), {"score", "-m", "m.safetensors"});
    return run_weft(std::move(args), {.input = input, .folder = folder_.folder()});
  }

  Scratch folder_;
};

TEST_F(Score, PrintsANumberForEachLine) {
  const ProcessResult result = run({"-t", "lines"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const std::vector<std::string> scores = split_lines(result.output);
  ASSERT_EQ(scores.size(), 3u);
  EXPECT_EQ(scores[1], "");
  EXPECT_THAT(result.errors, HasSubstr("scored 3 lines"));
  EXPECT_EQ(run({"-t", "-"}, "w1 w2 w3\n\nw4 w5\n").output, result.output);
  const auto tokens = split_lines(run({"-t", "lines", "-n"}).output);
  const auto bytes = split_lines(run({"-t", "lines", "--normalize=bytes"}).output);
  EXPECT_NEAR(std::stod(tokens[0]), std::stod(scores[0]) / 2, 1e-5);
  EXPECT_NEAR(std::stod(bytes[0]), std::stod(scores[0]) / 6, 1e-5);
  const double sum = std::stod(scores[0]) + std::stod(scores[2]);
  EXPECT_NEAR(std::stod(run({"-t", "lines", "--summary"}).output), -sum / 3, 1e-5);
  EXPECT_NEAR(std::stod(run({"-t", "lines", "--summary=bits-per-byte"}).output),
              -sum / 9 / std::log(2.0), 1e-5);
}

TEST_F(Score, PrintsANumberForEachContinuation) {
  const ProcessResult result = run({"-t", "-", "--tsv"}, "w1 w2\t w3\t w4\nw1\n");
  EXPECT_EQ(result.status, 1);
  const std::vector<std::string> scores = split_lines(result.output);
  ASSERT_EQ(scores.size(), 2u);
  EXPECT_EQ(std::ranges::count(scores[0], '\t'), 1);
  EXPECT_EQ(scores[1], "");
  EXPECT_THAT(result.errors, HasSubstr("line 2: 1 column; expected a prompt"));
}

TEST_F(Score, PrintsTheFiguresOfEachDocument) {
  const ProcessResult result =
      run({"-t", "text", "lines", "--documents", "--context", "4", "--stride", "2"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const std::vector<std::string> rows = split_lines(result.output);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_THAT(rows[0], testing::MatchesRegex("text\t[0-9.]+\t[0-9.]+\t8\t[0-9]+"));
  const double perplexity = std::stod(rows[0].substr(5));
  EXPECT_NEAR(std::stod(run({"-t", "text", "--documents", "--context=4", "--stride=2",
                             "--summary=perplexity"})
                            .output),
              perplexity, 1e-5);
  const ProcessResult small = run({"-t", "lines", "text", "--documents", "--context", "9"});
  EXPECT_EQ(small.status, 1);
  EXPECT_THAT(small.output, testing::MatchesRegex("lines\t\t\t\t\ntext\t.*\n"));
  EXPECT_THAT(small.errors, HasSubstr("document 1: 5 tokens; expected at least --context, 9"));
}

TEST_F(Score, RefusesWhatItDoesNotRead) {
  const std::pair<std::vector<std::string>, const char*> refused[] = {
      {{"-t", "lines", "text"}, "--train-sets: expected one file of lines, or --documents"},
      {{"-t", "lines", "--context", "9"}, "--context: is not read without --documents"},
      {{"-t", "lines", "--max-length", "9"}, "--max-length: is not read with a language model"},
      {{"-t", "lines", "--tsv", "--documents"}, "--tsv: contradicts --documents"},
      {{"-t", "lines", "--tsv", "--summary"}, "--summary: contradicts --tsv"},
      {{"-t", "lines", "--documents", "-n"}, "--normalize: applies to scores of lines"},
      {{"-t", "text", "--documents"}, "--context: 512 tokens; expected at most 32"},
  };
  for (const auto& [args, message] : refused) {
    const ProcessResult result = run(args);
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.errors, HasSubstr(message));
  }
}

}  // namespace
}  // namespace weft::test
