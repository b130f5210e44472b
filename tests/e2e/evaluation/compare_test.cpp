// weft compare: paired bootstrap of texts and of predictions, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/e2e/program.h"
#include "tests/e2e/training.h"
#include "tests/support/scratch.h"

namespace weft::test {
namespace {

using Json = nlohmann::json;
using testing::DoubleNear;
using testing::ElementsAre;
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
              ElementsAre(Pair("accuracy", 1), Pair("macro F1", 1), Pair("weighted F1", 1)));
  const std::string several = "{\"expected\":[\"x\",\"y\"],\"labels\":[\"y\"]}\n";
  EXPECT_THAT(scores(several, several),
              ElementsAre(Pair("accuracy", 0), Pair("macro F1", 0.5),
                          Pair("micro F1", DoubleNear(2.0 / 3, 1e-9)), Pair("weighted F1", 0.5)));
  const std::string tags = "{\"expected\":[[\"B-X\",\"O\"]],\"tags\":[[\"B-X\",\"B-X\"]]}\n";
  EXPECT_THAT(scores(tags, tags), ElementsAre(Pair("accuracy", 0.5), Pair("exact match", 0),
                                              Pair("span F1", DoubleNear(2.0 / 3, 1e-9))));
  const std::string text = "{\"expected\":\"a b\",\"text\":\"a c\"}\n";
  EXPECT_THAT(scores(text, text), ElementsAre(Pair("CER", DoubleNear(1.0 / 3, 1e-9)),
                                              Pair("WER", 0.5), Pair("exact match", 0)));
  const std::string boxes =
      "{\"expected\":[{\"label\":\"c\",\"box\":[0,0,0.5,0.5]}],\"boxes\":[{\"label\":\"c\","
      "\"score\":0.5,\"box\":[0,0,0.5,0.4]}]}\n";
  EXPECT_THAT(scores(boxes, boxes),
              ElementsAre(Pair("AP", DoubleNear(0.7, 0.011)), Pair("AP50", 1), Pair("AP75", 1)));
  EXPECT_THAT(scores("{\"error\":1}\n{\"error\":2}\n", "{\"error\":2}\n{\"error\":4}\n"),
              ElementsAre(Pair("error", 3)));
}

// As scikit-learn's classification_report and log_loss of these labels and probabilities.
TEST_F(Compare, MeasuresProbabilitiesOfOneLabel) {
  const std::string labels =
      "{\"kind\":\"one\",\"expected\":[\"x\"],\"labels\":[\"y\"],\"probabilities\":"
      "{\"x\":0.4,\"y\":0.5,\"z\":0.1}}\n"
      "{\"kind\":\"one\",\"expected\":[\"y\"],\"labels\":[\"y\"],\"probabilities\":"
      "{\"x\":0.2,\"y\":0.8,\"z\":0.0}}\n";
  EXPECT_THAT(
      scores(labels, labels),
      ElementsAre(Pair("accuracy", 0.5), Pair("calibration error", DoubleNear(0.35, 1e-6)),
                  Pair("cross-entropy", DoubleNear(-(std::log(0.4) + std::log(0.8)) / 2, 1e-6)),
                  Pair("macro F1", DoubleNear(1.0 / 3, 1e-9)),
                  Pair("weighted F1", DoubleNear(1.0 / 3, 1e-9))));
}

// Of several labels all count, as with scikit-learn's indicator matrices: z has an F1 of 0.
TEST_F(Compare, MeasuresProbabilitiesOfSeveralLabels) {
  const std::string labels =
      "{\"kind\":\"several\",\"expected\":[\"x\"],\"labels\":[\"x\"],\"probabilities\":"
      "{\"x\":0.9,\"y\":0.3,\"z\":0.1}}\n"
      "{\"kind\":\"several\",\"expected\":[\"y\"],\"labels\":[\"y\"],\"probabilities\":"
      "{\"x\":0.1,\"y\":0.7,\"z\":0.1}}\n";
  const double loss = -(4 * std::log(0.9) + 2 * std::log(0.7)) / 6;
  EXPECT_THAT(scores(labels, labels),
              ElementsAre(Pair("accuracy", 1), Pair("calibration error", DoubleNear(1.0 / 6, 1e-6)),
                          Pair("cross-entropy", DoubleNear(loss, 1e-6)),
                          Pair("macro F1", DoubleNear(2.0 / 3, 1e-9)), Pair("micro F1", 1),
                          Pair("weighted F1", 1)));
  // Of a sequence probabilities are those of the labels that were found.
  const std::string sequence =
      "{\"kind\":\"sequence\",\"expected\":[\"x\"],\"labels\":[\"x\"],\"probabilities\":"
      "{\"x\":0.9,\"y\":0.0}}\n";
  EXPECT_THAT(scores(sequence, sequence), ElementsAre(Pair("accuracy", 1), Pair("macro F1", 0.5),
                                                      Pair("micro F1", 1), Pair("weighted F1", 1)));
  // The metrics that both systems have.
  const std::string others =
      "{\"expected\":[\"x\"],\"labels\":[\"x\"]}\n{\"expected\":[\"y\"],\"labels\":[]}\n";
  EXPECT_THAT(scores(labels, others),
              ElementsAre(Pair("accuracy", 0.5), Pair("macro F1", 0.5), Pair("weighted F1", 0.5)));
}

// Of two numbers the mean of each one's, as --evaluate has it.
TEST_F(Compare, MeasuresNumbers) {
  const std::string numbers =
      "{\"expected\":[1,10],\"numbers\":[1,10]}\n{\"expected\":[2,20],\"numbers\":[2,20]}\n"
      "{\"expected\":[3,30],\"numbers\":[3,60]}\n";
  EXPECT_THAT(scores(numbers, numbers),
              ElementsAre(Pair("Pearson", DoubleNear((1 + std::sqrt(25.0 / 28)) / 2, 1e-9)),
                          Pair("R2", DoubleNear((1 - 3.5) / 2, 1e-9)),
                          Pair("Spearman", DoubleNear(1, 1e-9)),
                          Pair("mean absolute error", DoubleNear(5, 1e-9)),
                          Pair("root mean squared error", DoubleNear(std::sqrt(300) / 2, 1e-9))));
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
  const std::string sure =
      "{\"kind\":\"one\",\"expected\":[\"x\"],\"labels\":[\"x\"],\"probabilities\":{\"x\":1}}\n";
  const std::string unknown =
      "{\"kind\":\"one\",\"expected\":[\"x\"],\"labels\":[\"x\"],\"probabilities\":{\"y\":1}}\n";
  EXPECT_THAT(error(sure + unknown, sure + sure),
              HasSubstr("a.jsonl:2: not as --evaluate --predictions writes it: probabilities: "
                        "expected those of the same 2 labels in each line"));
  EXPECT_THAT(error(sure + labels, sure + sure), HasSubstr("a.jsonl:2: not as "));
  const std::string one_number = "{\"expected\":[1],\"numbers\":[1]}\n";
  EXPECT_THAT(error(one_number + "{\"expected\":[1],\"numbers\":[1,2]}\n", one_number),
              HasSubstr("a.jsonl:2: not as --evaluate --predictions writes it: numbers: 2 numbers; "
                        "expected 1"));
  EXPECT_THAT(error("", labels), HasSubstr("a.jsonl: no predictions; expected at least one"));
  EXPECT_THAT(run("a.jsonl").errors, HasSubstr("--systems: expected two files or more, got 1"));
  EXPECT_THAT(run("a.jsonl b.jsonl --lowercase").errors,
              HasSubstr("--lowercase: is not read without --references"));
}

}  // namespace
}  // namespace weft::test
