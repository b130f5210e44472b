// weft evaluate: scores, signature lines, and errors for invalid input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/e2e/program.h"
#include "tests/support/scratch.h"

namespace weft::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const std::string kHypotheses = "the cat sat on the mat today .\nA dog, it BARKED!\n";
const std::string kReferences = "the cat sat on a mat today .\na dog, it barked.\n";

class Evaluate : public testing::Test {
 protected:
  // Runs in a folder with the files hyp and ref, with the hypotheses on standard input.
  ProcessResult run(std::vector<std::string> args, const std::string& input = kHypotheses) {
    scratch_.file("hyp", kHypotheses);
    scratch_.file("ref", kReferences);
    args.insert(args.begin(), "evaluate");
    return run_weft(args, {.input = input, .folder = scratch_.folder()});
  }
  std::string error(std::vector<std::string> args, const std::string& input = kHypotheses) {
    const ProcessResult result = run(std::move(args), input);
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.output, "");
    return result.errors;
  }

  Scratch scratch_;
};

// Expected numbers are sacreBLEU's.
TEST_F(Evaluate, PrintsSacreBleusLines) {
  const ProcessResult result = run({"-r", "ref"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  const size_t second = result.output.find('\n') + 1;
  EXPECT_THAT(result.output,
              StartsWith("BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:weft-"));
  EXPECT_THAT(result.output.substr(0, second),
              HasSubstr(" = 37.99 71.4/58.3/40.0/12.5 (BP = 1.000 ratio = 1.000 hyp_len = 14 "
                        "ref_len = 14)\n"));
  EXPECT_THAT(result.output.substr(second),
              StartsWith("chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:weft-"));
  EXPECT_THAT(result.output.substr(second), HasSubstr(" = 59.71\n"));
}

TEST_F(Evaluate, PrintsTheAlignmentErrorRate) {
  scratch_.file("links", "0-0 1?1 2-2\n2-1 0?0\n");
  const std::string given = "0-0 1-1 3-3\n2-1\n";
  EXPECT_EQ(run({"-r", "links", "--metrics", "aer"}, given).output,
            "AER = 0.2857 (precision 0.7500, recall 0.6667)\n");
  EXPECT_THAT(run({"-r", "links", "links", "--metrics", "aer"}, given).errors,
              HasSubstr("--references: expected one file for aer, got 2"));
  EXPECT_THAT(error({"-r", "links", "--metrics", "aer"}, "0-0\n1\n"),
              HasSubstr("stdin:2: expected links such as 0-0 1-2, got '1'"));
}

TEST_F(Evaluate, PrintsRougeMatchesAndErrors) {
  const ProcessResult result =
      run({"-r", "ref", "--metrics", "exact-match", "word-error-rate", "character-error-rate",
           "rouge1", "rouge2", "rougeL", "--lowercase"});
  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(result.output,
            "exact match = 0.0000 (0 of 2)\nWER = 0.1667 (2 of 12)\nCER = 0.0889 (4 of 45)\n"
            "rouge1 = 0.9286 (precision 0.9286, recall 0.9286)\n"
            "rouge2 = 0.8333 (precision 0.8333, recall 0.8333)\n"
            "rougeL = 0.9286 (precision 0.9286, recall 0.9286)\n");
  EXPECT_EQ(run({"-r", "ref", "hyp", "--metrics", "exact-match"}).output,
            "exact match = 1.0000 (2 of 2)\n");
  EXPECT_THAT(run({"-r", "ref", "hyp", "--metrics", "word-error-rate"}).errors,
              HasSubstr("--references: expected one file for word-error-rate, got 2"));
}

TEST_F(Evaluate, AcceptsEveryOption) {
  const ProcessResult result = run({"-r", "ref", "-r", "hyp", "-i", "hyp", "--metrics", "chrf",
                                    "--lowercase", "--chrf-word-order", "2"},
                                   "");
  EXPECT_THAT(result.output, StartsWith("chrF2++|nrefs:2|case:lc|"));
  EXPECT_THAT(result.output, HasSubstr(" = 100.00\n"));
  EXPECT_THAT(run({"-r", "ref", "--metrics", "bleu", "--tokenize", "none"}).output,
              HasSubstr("|tok:none|"));
}

TEST_F(Evaluate, JoinsSubwordsOnRequest) {
  const std::string cut = "the c@@ at sat on the mat to@@ day .\nA d@@ og, it BARKED@@\n";
  scratch_.file("joined", "the cat sat on the mat today .\nA dog, it BARKED\n");
  EXPECT_THAT(run({"-r", "joined", "--undo-bpe"}, cut).output, HasSubstr(" = 100.00 "));
}

TEST_F(Evaluate, PrintsJson) {
  const auto list = nlohmann::json::parse(run({"-r", "ref", "--json"}).output);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].at("name"), "BLEU");
  EXPECT_NEAR(list[0].at("score").get<double>(), 37.99, 0.005);
  EXPECT_THAT(list[1].at("signature").get<std::string>(), StartsWith("nrefs:1|case:mixed|eff:yes"));
}

TEST_F(Evaluate, ReportsInvalidInput) {
  scratch_.file("long", "a\nb\nc\n");
  scratch_.file("empty", "");
  scratch_.file("bytes", "a\n\xff\n");
  EXPECT_EQ(error({"-r", "ref", "-r", "long"}),
            "weft: long: 3 lines; expected 2, the number of lines of stdin\n");
  EXPECT_THAT(error({"-r", "missing"}), StartsWith("weft: missing: "));
  EXPECT_EQ(error({"-r", "empty"}), "weft: empty: no text; expected at least one line\n");
  EXPECT_EQ(error({"-r", "ref"}, ""), "weft: stdin: no text; expected at least one line\n");
  EXPECT_THAT(error({"-r", "bytes"}), StartsWith("weft: bytes: line 2 is not UTF-8"));
}

TEST_F(Evaluate, ReportsInvalidOptions) {
  EXPECT_EQ(run({}).status, 2);
  EXPECT_THAT(run({}).errors, HasSubstr("references"));
  const ProcessResult metric = run({"-r", "ref", "--metrics", "blue"});
  EXPECT_EQ(metric.status, 2);
  EXPECT_THAT(metric.errors, HasSubstr("did you mean bleu?"));
  const auto unread = [&](const char* metrics, std::vector<std::string> option) {
    option.insert(option.end(), {"-r", "ref", "--metrics", metrics});
    return run(option).errors;
  };
  EXPECT_THAT(unread("bleu", {"--chrf-word-order", "2"}),
              HasSubstr("--chrf-word-order: belongs to --metrics chrf; got it with bleu"));
  EXPECT_THAT(unread("chrf", {"--tokenize", "zh"}),
              HasSubstr("--tokenize: belongs to --metrics bleu; got it with chrf"));
  EXPECT_THAT(unread("aer", {"--lowercase"}),
              HasSubstr("--lowercase: belongs to --metrics bleu, chrf, exact-match, "
                        "word-error-rate or character-error-rate; got it with aer"));
}

}  // namespace
}  // namespace weft::test
