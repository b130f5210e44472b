// weft compare: paired bootstrap of texts and of predictions, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/e2e/program.h"
#include "tests/e2e/training.h"
#include "tests/support/scratch.h"

namespace weft::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;
using testing::Pair;

class Compare : public testing::Test {
 protected:
  ProcessResult run(const std::string& args) const {
    return run_weft(words_of("compare " + args), {.folder = folder_.folder()});
  }
  // The score of the second system by each metric.
  std::map<std::string, double> scores(const std::string& first, const std::string& second) const {
    folder_.file("a.jsonl", first);
    folder_.file("b.jsonl", second);
    const ProcessResult result = run("a.jsonl b.jsonl --json --samples 50");
    EXPECT_EQ(result.status, 0) << result.errors;
    std::map<std::string, double> out;
    for (const Json& found : Json::parse(result.output)) {
      out[found["metric"]] = found["systems"][1]["score"];
    }
    return out;
  }
  std::string error(const std::string& first, const std::string& second) const {
    folder_.file("a.jsonl", first);
    folder_.file("b.jsonl", second);
    const ProcessResult result = run("a.jsonl b.jsonl");
    EXPECT_EQ(result.status, 1) << result.output;
    EXPECT_EQ(result.output, "");
    return result.errors;
  }

  Scratch folder_;
};

std::string lines_of(const Json& lines) {
  std::string out;
  for (const Json& line : lines) out += line.get<std::string>() + "\n";
  return out;
}

// Golden values of tools/golden/text_metrics.py.
TEST_F(Compare, GivesSacreBleusProbabilities) {
  const Json golden = Json::parse(read_bytes(source_path("tests/golden/text_metrics.json")));
  folder_.file("ref", lines_of(golden["reference"]));
  folder_.file("first", lines_of(golden["systems"][0]));
  folder_.file("second", lines_of(golden["systems"][1]));
  const Json found = Json::parse(run("-r ref --json -- first second").output);
  for (size_t i = 0; i < 2; ++i) {
    const Json& expected = golden["bootstraps"][0]["results"][i == 0 ? "bleu" : "chrf"];
    const Json& second = found[i]["systems"][1];
    EXPECT_DOUBLE_EQ(second["p_sacrebleu"].get<double>(), expected["p"].get<double>());
    EXPECT_NEAR(second["mean"].get<double>(), expected["systems"][1][1].get<double>(), 1e-4);
  }
  const ProcessResult table = run("-r ref --metrics word-error-rate bleu -- first second");
  EXPECT_THAT(table.output, testing::MatchesRegex(
                                "WER\n  0.3302  \\(mean 0.33[0-9]+ ± 0.0[0-9]+, 95 %\\)  first\n"
                                "  0.2913  .*, 95 %\\)  -0.0390  p 0.[0-9]+( \\*)?  second\n"
                                "BLEU\n.*  p 0.[0-9]+( \\*)? \\(sacreBLEU's 0.0490\\)  second\n"));
  EXPECT_EQ(run("-r ref -- first second").output, run("-r ref --threads 1 -- first second").output);
}

TEST_F(Compare, MeasuresPredictionsOfEveryKind) {
  EXPECT_THAT(scores("{\"expected\":[\"x\"],\"labels\":[\"x\"]}\n{\"expected\":[\"y\"],"
                     "\"labels\":[\"x\"]}\n",
                     "{\"expected\":[\"x\"],\"labels\":[\"x\"]}\n{\"expected\":[\"y\"],"
                     "\"labels\":[\"y\"]}\n"),
              testing::ElementsAre(Pair("accuracy", 1), Pair("macro F1", 1)));
  const std::string several = "{\"expected\":[\"x\",\"y\"],\"labels\":[\"y\"]}\n";
  EXPECT_THAT(scores(several, several),
              testing::ElementsAre(Pair("accuracy", 0), Pair("macro F1", 0.5),
                                   Pair("micro F1", testing::DoubleNear(2.0 / 3, 1e-9))));
  const std::string tags = "{\"expected\":[[\"B-X\",\"O\"]],\"tags\":[[\"B-X\",\"B-X\"]]}\n";
  EXPECT_THAT(scores(tags, tags),
              testing::ElementsAre(Pair("accuracy", 0.5), Pair("exact match", 0),
                                   Pair("span F1", testing::DoubleNear(2.0 / 3, 1e-9))));
  const std::string text = "{\"expected\":\"a b\",\"text\":\"a c\"}\n";
  EXPECT_THAT(scores(text, text),
              testing::ElementsAre(Pair("CER", testing::DoubleNear(1.0 / 3, 1e-9)),
                                   Pair("WER", 0.5), Pair("exact match", 0)));
  const std::string boxes =
      "{\"expected\":[{\"label\":\"c\",\"box\":[0,0,0.5,0.5]}],\"boxes\":[{\"label\":\"c\","
      "\"score\":0.5,\"box\":[0,0,0.5,0.4]}]}\n";
  EXPECT_THAT(scores(boxes, boxes),
              testing::ElementsAre(Pair("AP", testing::DoubleNear(0.7, 0.011)), Pair("AP50", 1),
                                   Pair("AP75", 1)));
  EXPECT_THAT(scores("{\"error\":1}\n{\"error\":2}\n", "{\"error\":2}\n{\"error\":4}\n"),
              testing::ElementsAre(Pair("error", 3)));
}

TEST_F(Compare, NamesWhatIsWrong) {
  const std::string labels = "{\"expected\":[\"x\"],\"labels\":[\"x\"]}\n";
  EXPECT_THAT(error(labels, "{\"expected\":[\"y\"],\"labels\":[\"x\"]}\n"),
              HasSubstr("b.jsonl:1: the example is not that of a.jsonl"));
  EXPECT_THAT(error(labels, labels + labels),
              HasSubstr("b.jsonl: 2 predictions with 'labels'; expected 1 with 'labels', as in"));
  EXPECT_THAT(error("x\n", labels), HasSubstr("a.jsonl:1: expected a prediction in JSON"));
  EXPECT_THAT(error(labels + "{\"error\":1}\n", labels),
              HasSubstr("a.jsonl:2: expected a prediction with 'labels'"));
  EXPECT_THAT(error("{\"labels\":[\"x\"]}\n", labels),
              HasSubstr("a.jsonl:1: expected a prediction with 'expected'"));
  EXPECT_THAT(error("{\"expected\":[\"x\"],\"labels\":3}\n", labels),
              HasSubstr("a.jsonl:1: not as --evaluate --predictions writes it: "));
  const std::string short_tags = "{\"expected\":[[\"x\",\"y\"]],\"tags\":[[\"x\"]]}\n";
  EXPECT_THAT(error(short_tags, short_tags), HasSubstr("a.jsonl:1: not as "));
  EXPECT_THAT(error("", labels), HasSubstr("a.jsonl: no predictions; expected at least one"));
  EXPECT_THAT(run("a.jsonl").errors, HasSubstr("--systems: expected two files or more, got 1"));
  EXPECT_THAT(run("a.jsonl b.jsonl --lowercase").errors,
              HasSubstr("--lowercase: is not read without --references"));
}

}  // namespace
}  // namespace weft::test
