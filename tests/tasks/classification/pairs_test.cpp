// Classifiers of pairs of texts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/captured_log.h"
#include "tests/support/errors.h"
#include "tests/tasks/classification/small_classification.h"
#include "tests/tasks/resumption.h"
#include "tests/train/small_training.h"
#include "weft/core/error.h"
#include "weft/predict/classification/classifier.h"

namespace weft::tasks {
namespace {

using test::Scratch;

// Lines of `label TAB text TAB text`: whether the first words of both are even.
std::string pair_text(uint64_t seed, int lines) {
  std::istringstream first(test::toy_text(seed, lines).source),
      second(test::toy_text(seed + 100, lines).source);
  std::string out;
  for (std::string a, b; std::getline(first, a) && std::getline(second, b);) {
    const bool is_same = std::stoi(a.substr(1)) % 2 == std::stoi(b.substr(1)) % 2;
    out += (is_same ? "same\t" : "other\t") + a + "\t" + b + "\n";
  }
  return out;
}

ClassificationOptions small_pairs(const Scratch& folder, const std::string& flags = "") {
  ClassificationOptions o =
      small_classification(folder, "--pair-field 2 --token-types 2 --pooling first " + flags);
  o.data.train_sets = {folder.file("train.tsv", pair_text(1, 100))};
  o.validation.valid_sets = {folder.file("valid.tsv", pair_text(2, 40))};
  return o;
}

TEST(Pairs, GoOnAsIfNeverStopped) {
  expect_resumes<Classification>(small_pairs, "--optimizer-delay 2");
}

TEST(Pairs, AreLinesWithATabInPrediction) {
  const Scratch folder;
  const ClassificationOptions o = small_pairs(folder);
  train_classifier(o);
  const auto session = model_file::load<model_file::ClassifierSession>(o.loop.model);
  EXPECT_EQ(session.trained_on.pair, 2);
  const predict::Classifier classifier({&session, 1}, {});
  const std::vector<weft::Line> lines = {{"w1 w2\tw3"}, {"w3\tw1 w2"}, {"w1 w2"}, {""}};
  Report report;
  auto prepared = classifier.prepare(lines, report);
  auto answers = classifier.run(prepared.requests);
  const auto results = classifier.finish(prepared, answers, report);
  ASSERT_EQ(results.size(), 4u);
  EXPECT_EQ(results[0].labels.size(), 1u);
  EXPECT_FALSE(results[0].probabilities == results[1].probabilities);
  ASSERT_TRUE(results[2].fault);
  EXPECT_EQ(results[2].fault->reason, "no tab; expected two texts with a tab between them");
  EXPECT_EQ(report.count(FaultKind::kUnreadable), 1);
  EXPECT_EQ(report.count(FaultKind::kEmpty), 1);
}

// The model of a batch reads the types of each of its texts.
TEST(Pairs, HaveTheSameResultInAnyBatch) {
  const Scratch folder;
  const ClassificationOptions o = small_pairs(folder);
  train_classifier(o);
  const auto session = model_file::load<model_file::ClassifierSession>(o.loop.model);
  const std::vector<weft::Line> lines = {{"w1 w2\tw3"}, {"w3\tw1 w2 w5 w6"}, {"w5\tw5"}};
  const auto probabilities = [&](std::span<const weft::Line> some) {
    const predict::Classifier classifier({&session, 1}, {});
    Report report;
    auto prepared = classifier.prepare(some, report);
    auto answers = classifier.run(prepared.requests);
    return classifier.finish(prepared, answers, report);
  };
  const auto together = probabilities(lines);
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto alone = probabilities(std::span(lines).subspan(i, 1));
    EXPECT_TRUE(alone.front().probabilities == together[i].probabilities) << i;
  }
}

TEST(Pairs, RefuseFieldsThatAreOthers) {
  const Scratch folder;
  const auto message = [&](const std::string& flags) {
    return test::message_of<OptionError>([&] { train_classifier(small_pairs(folder, flags)); });
  };
  EXPECT_EQ(message("--pair-field 1"),
            "--pair-field: field 1 is the text (--text-field); expected another one");
  EXPECT_EQ(message("--pair-field 0"),
            "--pair-field: field 0 is the label (--label-field); expected another one");
  EXPECT_EQ(message("--format first-word"),
            "--pair-field: --format first-word has the fields 0 and 1; got 2");
}

}  // namespace
}  // namespace weft::tasks
