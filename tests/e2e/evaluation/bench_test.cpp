// weft bench: results are consistent with the text, with each other and with weft translate.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/e2e/translating.h"

namespace weft::test {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

int64_t words_in(const std::string& text) {
  std::istringstream in(text);
  return std::distance(std::istream_iterator<std::string>(in), {});
}

// Translations without an end symbol, as weft translate reports them.
int64_t cut_off_in(const std::string& errors) {
  const size_t end = errors.find(" whose translation was cut off");
  return end == errors.npos ? 0 : std::stoll(errors.substr(errors.rfind(' ', end - 1) + 1));
}

class Bench : public Translating {
 protected:
  Bench() : Translating(kLines) {
    for (const std::string& line : split_lines(text_)) non_empty_ += line.empty() ? 0 : 1;
    scratch_.file("in", text_);
  }

  ProcessResult bench(std::vector<std::string> more, const std::string& input = "") {
    more.insert(more.begin(), {"bench", "decode", "-m", "model", "--threads", "1"});
    return run(more, input);
  }
  Json figures() { return Json::parse(read_bytes(scratch_.path("out.json"))); }

  static constexpr int kLines = 20;
  int64_t non_empty_ = 0;
};

TEST_F(Bench, CountsTheTokensOfTranslation) {
  const std::vector<std::string> options = {"-b", "2", "--max-length-factor", "3"};
  std::vector<std::string> translate = {"translate", "-m", "model", "-i", "in"};
  translate.insert(translate.end(), options.begin(), options.end());
  const ProcessResult translated = run(translate);
  std::vector<std::string> args = {"-i", "in", "--repeats", "2", "--json", "out.json"};
  args.insert(args.end(), options.begin(), options.end());
  const ProcessResult result = bench(args);
  ASSERT_EQ(result.status, 0) << result.errors;
  const Json f = figures();
  EXPECT_EQ(f.at("lines"), kLines);
  EXPECT_EQ(f.at("source_tokens"), words_in(text_) + non_empty_);
  EXPECT_EQ(f.at("output_tokens"),
            words_in(translated.output) + non_empty_ - cut_off_in(translated.errors));
  EXPECT_EQ(f.at("repeats"), 2);
  EXPECT_EQ(f.at("threads"), 1);
  EXPECT_EQ(f.at("precision"), "auto");
  EXPECT_EQ(f.at("options").at("beam-size"), 2);
  EXPECT_THAT(result.output, HasSubstr("lines                             20\n"));
  EXPECT_THAT(result.output, HasSubstr("time, %"));
}

TEST_F(Bench, HasConsistentResults) {
  ASSERT_EQ(bench({"-i", "in", "--mini-batch", "3", "--json", "out.json"}).status, 0);
  const Json f = figures();
  const Json &seconds = f.at("seconds"), &latency = f.at("latency_ms"), &share = f.at("share");
  EXPECT_GT(seconds.at("best"), 0.0);
  EXPECT_LE(seconds.at("best"), seconds.at("median"));
  for (const char* which : {"best", "median"}) {
    const double time = seconds.at(which), tokens = f.at("output_tokens");
    EXPECT_NEAR(f.at("tokens_per_s").at(which).get<double>() * time, tokens, 1e-6 * tokens);
    EXPECT_NEAR(f.at("lines_per_s").at(which).get<double>() * time, kLines, 1e-6 * kLines);
    EXPECT_NEAR(f.at("ms_per_line").at(which).get<double>() * kLines, 1e3 * time, 1e-3 * time);
  }
  EXPECT_EQ(latency.at("lines"), 3);
  EXPECT_EQ(latency.at("batches"), 7);
  EXPECT_GT(latency.at("p50"), 0.0);
  EXPECT_LE(latency.at("p50"), latency.at("p90"));
  EXPECT_LE(latency.at("p90"), latency.at("p99"));
  EXPECT_GT(f.at("load_s"), 0.0);
  EXPECT_GT(f.at("memory_mb").at("loaded"), 0.0);
  EXPECT_LE(f.at("memory_mb").at("loaded"), f.at("memory_mb").at("peak"));
  double sum = 0;
  for (const char* part : {"products", "attention", "search", "rest"}) {
    EXPECT_GT(share.at(part), 0.0) << part;
    sum += share.at(part).get<double>();
  }
  EXPECT_NEAR(sum, 1, 1e-9);
}

TEST_F(Bench, ReadsStandardInputAndReportsErrors) {
  const ProcessResult result =
      bench({"--repeats", "2", "--max-length", "2", "--json", "out.json"}, "w1 w2\nw1 w2 w3\n");
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(figures().at("lines"), 2);
  EXPECT_EQ(figures().at("source_tokens"), 6);
  EXPECT_THAT(result.errors, HasSubstr("2 lines: 1 cropped"));
}

TEST_F(Bench, ReportsErrors) {
  struct Case {
    std::vector<std::string> args;
    int status;
    std::string says;
  };
  const std::vector<Case> cases = {
      {{"bench"}, 2, "bench: no benchmark given; expected decode or generate"},
      {{"bench", "decod"}, 2, "bench: unknown benchmark 'decod'; expected decode or generate"},
      {{"bench", "decode"}, 2, "--model: not given"},
      {{"bench", "decode", "-m", "model", "--n-best", "3"},
       2,
       "--n-best: a switch; expected no value, true or false, got '3'"},
      {{"bench", "decode", "-m", "model", "--repeats", "0"}, 2, "--repeats: out of range"},
      {{"bench", "decode", "-m", "model", "-i", "empty"}, 1, "--input: empty has no line"},
      {{"bench", "decode", "-m", "model", "-i", "none"}, 1, "none: cannot be opened"},
      {{"bench", "decode", "-m", "none", "-i", "in"}, 1, "none: cannot"},
      {{"bench", "decode", "-m", "model", "-i", "in", "--json", "no/such"}, 1, "no/such: cannot"},
      {{"bench", "decode", "-m", "model", "-n", "1", "--length-penalty", "1"},
       2,
       "--length-penalty: contradicts --normalize"},
  };
  scratch_.file("empty", "");
  for (const Case& c : cases) {
    const ProcessResult result = run(c.args);
    EXPECT_EQ(result.status, c.status) << c.says;
    EXPECT_THAT(result.errors, HasSubstr(c.says));
    EXPECT_EQ(result.output, "") << c.says;
  }
}

TEST_F(Bench, ListsBenchmarksAndOptions) {
  EXPECT_THAT(run({"bench", "--help"}).output, HasSubstr("usage: weft bench decode [options]"));
  const std::string help = run({"bench", "decode", "--help"}).output;
  EXPECT_THAT(help, HasSubstr("usage: weft bench decode [options]"));
  EXPECT_THAT(help, HasSubstr("--repeats N"));
  EXPECT_THAT(help, HasSubstr("--beam-size N"));
}

}  // namespace
}  // namespace weft::test
