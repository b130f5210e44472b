#include "weft/predict/classification/classifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/predict/predicted.h"
#include "tests/support/errors.h"
#include "weft/core/error.h"
#include "weft/data/text/plain_tokeniser.h"
#include "weft/model_file/classifier.h"

namespace weft::predict {
namespace {

using testing::HasSubstr;

model_file::ClassifierSession session_of(uint64_t seed, const models::LabelKinds& labels = {},
                                         std::vector<std::string> names = {"x", "y", "z"}) {
  models::ClassifierOptions o;
  o.labels = labels;
  o.encoder.dim_emb = 16;
  return model_file::new_classifier(
      o,
      {data::make_plain_tokeniser(data::Vocabulary({"a", "b", "c"}, "words")),
       {data::LabelSet(std::move(names), "labels")}},
      seed);
}

std::vector<Line> some_lines() {
  return test::lines_of({"a b c", "", "a", "b b", "c a b a c", "\xFF", "c"});
}

TEST(Classifier, GivesALineAResultWhateverItsBatch) {
  const model_file::ClassifierSession session = session_of(1);
  const auto lines = some_lines();
  const Classifier together({&session, 1}, {}), alone({&session, 1}, {{.mini_batch = 1}});
  Report of_all, of_each;
  const std::vector<ChosenLabels> all = predict(together, lines, of_all);
  ASSERT_EQ(all.size(), lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    const ChosenLabels one = predict(alone, std::vector{lines[i]}, of_each).front();
    EXPECT_EQ(one.labels, all[i].labels);
    EXPECT_EQ(one.probabilities, all[i].probabilities);
    EXPECT_EQ(all[i].fault.has_value(), i == 1 || i == 5);
    EXPECT_EQ(all[i].probabilities.empty(), i == 1 || i == 5);
  }
  EXPECT_EQ(of_all.text(), of_each.text());
  EXPECT_EQ(of_all.text(),
            "7 lines: 1 empty, 1 not UTF-8 (left empty); the first fault is in line 6: not UTF-8");
}

TEST(Classifier, AveragesTheProbabilitiesOfModels) {
  const std::vector<model_file::ClassifierSession> sessions = {session_of(1), session_of(2)};
  const Classifier first({&sessions[0], 1}, {}), second({&sessions[1], 1}, {}), both(sessions, {});
  const auto lines = some_lines();
  Report report;
  const auto a = test::predicted(first, lines), b = test::predicted(second, lines),
             mean = predict(both, lines, report);
  for (size_t i = 0; i < lines.size(); ++i) {
    for (size_t label = 0; label < mean[i].probabilities.size(); ++label) {
      EXPECT_NEAR(mean[i].probabilities[label],
                  (a[i].probabilities[label] + b[i].probabilities[label]) / 2, 1e-6);
    }
  }
  EXPECT_EQ(report.inputs, 7);
}

TEST(Classifier, NamesModelsThatDoNotGoTogether) {
  const auto error = [](const model_file::ClassifierSession& other,
                        std::optional<double> threshold) {
    const std::vector<model_file::ClassifierSession> sessions = {session_of(1), other};
    return test::message_of<OptionError>([&] { Classifier(sessions, {}, threshold); });
  };
  EXPECT_THAT(error(session_of(2, {}, {"x", "z", "y"}), {}), HasSubstr("has other labels"));
  EXPECT_THAT(error(session_of(2, models::SeveralLabels{}), {}),
              HasSubstr("is of --labels several; expected one"));
  EXPECT_THAT(error(session_of(2), 0.3), HasSubstr("--threshold: the model is of --labels one"));
}

// What it was not trained on would be another text.
TEST(Classifier, ReadsNoMoreThanInTraining) {
  model_file::ClassifierSession session = session_of(1);
  session.max_length = 2;
  const Classifier classifier({&session, 1}, {});
  Report report;
  const std::vector<ChosenLabels> found =
      predict(classifier, test::lines_of({"a b", "a b c"}), report);
  EXPECT_EQ(found[0].probabilities, found[1].probabilities);
  EXPECT_EQ(report.count(Note::kCropped), 1);
}

TEST(Classifier, TakesAnotherThreshold) {
  const model_file::ClassifierSession session = session_of(1, models::SeveralLabels{});
  const auto labels = [&](double threshold) {
    const Classifier classifier({&session, 1}, {}, threshold);
    return test::predicted(classifier, test::lines_of({"a"})).front().labels.size();
  };
  EXPECT_EQ(labels(0), 3u);
  EXPECT_EQ(labels(1), 0u);
}

}  // namespace
}  // namespace weft::predict
