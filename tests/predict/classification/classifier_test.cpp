#include "weft/predict/classification/classifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "weft/core/error.h"
#include "weft/data/text/plain_tokeniser.h"

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
  std::vector<Line> out;
  for (const char* text : {"a b c", "", "a", "b b", "c a b a c", "\xFF", "c"}) {
    out.push_back({text, false});
  }
  return out;
}

TEST(Classifier, GivesALineAResultWhateverItsBatch) {
  const model_file::ClassifierSession session = session_of(1);
  const auto lines = some_lines();
  Classifier together({&session, 1}, {}), alone({&session, 1}, {{.mini_batch = 1}});
  const std::vector<LineLabels> all = together.classify(lines);
  ASSERT_EQ(all.size(), lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    const LineLabels one = alone.classify({&lines[i], 1}).front();
    EXPECT_EQ(one.labels, all[i].labels);
    EXPECT_EQ(one.probabilities, all[i].probabilities);
    EXPECT_EQ(all[i].is_empty(), i == 1 || i == 5);
  }
  EXPECT_EQ(together.report().text(), alone.report().text());
}

TEST(Classifier, AveragesTheProbabilitiesOfModels) {
  const std::vector<model_file::ClassifierSession> sessions = {session_of(1), session_of(2)};
  Classifier first({&sessions[0], 1}, {}), second({&sessions[1], 1}, {}), both(sessions, {});
  const auto lines = some_lines();
  const auto a = first.classify(lines), b = second.classify(lines), mean = both.classify(lines);
  for (size_t i = 0; i < lines.size(); ++i) {
    for (size_t label = 0; label < mean[i].probabilities.size(); ++label) {
      EXPECT_NEAR(mean[i].probabilities[label],
                  (a[i].probabilities[label] + b[i].probabilities[label]) / 2, 1e-6);
    }
  }
  EXPECT_EQ(both.report().lines, 7);
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
  const std::vector<Line> lines = {{"a b", false}, {"a b c", false}};
  Classifier classifier({&session, 1}, {});
  const std::vector<LineLabels> found = classifier.classify(lines);
  EXPECT_EQ(found[0].probabilities, found[1].probabilities);
  EXPECT_EQ(classifier.report().cropped, 1);
}

TEST(Classifier, TakesAnotherThreshold) {
  const model_file::ClassifierSession session = session_of(1, models::SeveralLabels{});
  const std::vector<Line> line = {{"a", false}};
  EXPECT_EQ(Classifier({&session, 1}, {}, 0.0).classify(line).front().labels.size(), 3u);
  EXPECT_EQ(Classifier({&session, 1}, {}, 1.0).classify(line).front().labels.size(), 0u);
}

}  // namespace
}  // namespace weft::predict
