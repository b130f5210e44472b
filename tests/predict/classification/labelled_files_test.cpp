#include "weft/predict/classification/labelled_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/captured_log.h"
#include "tests/support/scratch.h"
#include "weft/model_file/classifier.h"

namespace weft::predict {
namespace {

using testing::HasSubstr;

model_file::ClassifierSession classifier_of_vectors(uint64_t seed) {
  models::ClassifierOptions o;
  o.input = models::FeatureInput{};
  o.encoder.dim_emb = 16;
  return model_file::new_classifier(o,
                                    {.text = {.labels = {data::LabelSet({"a", "b"}, "labels")}},
                                     .channels = 2,
                                     .statistics = {{0, 0}, {1, 1}}},
                                    seed);
}

int64_t occurrences(std::string_view text, std::string_view part) {
  int64_t count = 0;
  for (size_t i = text.find(part); i != text.npos; i = text.find(part, i + 1)) ++count;
  return count;
}

class SeveralModels : public testing::Test {
 protected:
  SeveralModels() { folder_.file("rows.csv", "1,2\n3,4\n"); }

  LabelScores probabilities(data::BadFiles bad_files) const {
    ExpectedLabels expected;
    return labelled_probabilities(sessions_,
                                  {.files = files_,
                                   .fields = {.format = "tsv", .text = 1, .text_labels = {0}},
                                   .bad_files = bad_files},
                                  expected);
  }

  test::Scratch folder_;
  std::vector<std::string> files_ = {
      folder_.file("rows.tsv", "a\trows.csv\nb\tgone.csv\nb\trows.csv\n")};
  std::vector<model_file::ClassifierSession> sessions_ = {
      classifier_of_vectors(1), classifier_of_vectors(2), classifier_of_vectors(3)};
};

TEST_F(SeveralModels, NameAFileThatIsLeftOutOnce) {
  const test::CapturedLog log;
  EXPECT_EQ(probabilities(data::BadFiles::kSkip).texts(), 2);
  EXPECT_EQ(occurrences(log.warnings(), "gone.csv"), 1) << log.text();
  EXPECT_EQ(occurrences(log.text(), "1 file left out"), 1) << log.text();
}

TEST_F(SeveralModels, NameAFileThatIsRefused) {
  EXPECT_THAT([&] { probabilities(data::BadFiles::kRefuse); },
              testing::ThrowsMessage<FormatError>(HasSubstr("gone.csv")));
}

}  // namespace
}  // namespace weft::predict
