#include "weft/data/corpus/weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/data/sidecar_files.h"
#include "weft/core/error.h"

namespace weft::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class WeightsOfText : public BesideText {
 protected:
  Weights read(const std::string& text, WeightType type) {
    return Weights(corpus(), {folder_.file("w", text)}, type);
  }
  std::vector<float> of(const Weights& weights, std::vector<int64_t> sentences) {
    return weights.of(corpus().batch(sentences));
  }
};

TEST_F(WeightsOfText, WeighWholeSentences) {
  const Weights weights = read("0.5\n7\n2\n", WeightType::kSentence);
  EXPECT_THAT(of(weights, {1, 0}), ElementsAre(2, 2, 0.5, 0.5, 0.5));
}

TEST_F(WeightsOfText, WeighSingleTokens) {
  const Weights weights = read("0.5 0\n\n2 3\n", WeightType::kWord);
  EXPECT_THAT(of(weights, {0, 1}), ElementsAre(0.5, 0, 1, 2, 3));
}

TEST_F(WeightsOfText, DifferInTheirFingerprint) {
  EXPECT_EQ(read("1\n1\n2\n", WeightType::kSentence).fingerprint(),
            read("1\n0\n2\n", WeightType::kSentence).fingerprint());
  EXPECT_NE(read("1\n1\n2\n", WeightType::kSentence).fingerprint(),
            read("1\n1\n3\n", WeightType::kSentence).fingerprint());
}

TEST_F(WeightsOfText, HaveToFitTheText) {
  const auto expect = [&](const std::string& text, WeightType type, const char* message) {
    EXPECT_THAT([&] { read(text, type); }, ThrowsMessage<FormatError>(HasSubstr(message)));
  };
  expect("1\n1\n", WeightType::kSentence, "w: 2 lines; the text has 3");
  expect("1\n1\n1\n1\n", WeightType::kSentence, "w: 4 lines; the text has 3");
  expect("1 2\n1\n1\n", WeightType::kSentence, "w:1: expected one weight, the sentence's; got 2");
  expect("1\n1\nx\n", WeightType::kSentence,
         "w:3: expected numbers of 0 or more in float32's range, got 'x'");
  expect("-1\n1\n1\n", WeightType::kSentence, "expected numbers of 0 or more");
  expect("nan\n1\n1\n", WeightType::kSentence, "expected numbers of 0 or more");
  expect("1\n1\n1\n", WeightType::kWord,
         "w:1: expected 2 weights of target tokens, or 3 with the end symbol's; got 1");
  EXPECT_THAT([&] { read("0\n1\n0\n", WeightType::kSentence); },
              ThrowsMessage<OptionError>(HasSubstr("--data-weighting: all are 0")));
  EXPECT_THROW(Weights(corpus(), {}, WeightType::kWord), OptionError);
}

}  // namespace
}  // namespace weft::data
