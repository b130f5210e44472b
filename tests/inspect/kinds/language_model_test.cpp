#include "weft/inspect/kinds/language_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/inspect/example.h"
#include "tests/model_file/small_language_model.h"
#include "tests/predict/predicted.h"
#include "weft/core/error.h"
#include "weft/predict/generation/generator.h"

namespace weft::inspect {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* kPrompt = "w3 w14 w15";
constexpr InspectionOptions kShort = {.alternatives = 2, .max_continuation = 4};

std::string continued(const model_file::LanguageModelSession& session, const std::string& prompt) {
  predict::GenerationOptions options;
  options.temperature = 0;
  options.max_length = kShort.max_continuation;
  const predict::Generator generator(session, options);
  const std::vector<predict::Prompt> prompts = {predict::text_prompt({.text = prompt})};
  return test::predicted(generator, prompts).front().texts.front().text;
}

TEST(InspectLanguageModel, HasTheContinuationOfGenerate) {
  const auto session = model_file::small_language_model();
  const Example example = inspect(session, kPrompt, kShort);
  ASSERT_THAT(example.predictions, SizeIs(1));
  const Prediction& found = example.predictions.front();
  EXPECT_EQ(found.text, continued(session, kPrompt));
  std::string text;
  double sum = 0;
  for (const PredictedToken& token : found.tokens) {
    text += token.token;
    sum += std::log(token.probability);
    ASSERT_THAT(token.alternatives, SizeIs(2));
    EXPECT_GE(token.probability, token.alternatives[0].probability);
    EXPECT_GE(token.alternatives[0].probability, token.alternatives[1].probability);
  }
  EXPECT_EQ(text, found.text);
  EXPECT_NEAR(sum, *found.log_probability, 1e-6);
}

TEST(InspectLanguageModel, ContinuesFromAlternatives) {
  const auto session = model_file::small_language_model();
  const Example example = inspect(session, kPrompt, kShort);
  const PredictedToken& first = example.predictions.front().tokens.front();
  for (const Alternative& other : first.alternatives) {
    EXPECT_THAT(other.continuation, testing::StartsWith(other.token));
    const std::string rest = continued(session, kPrompt + other.token);
    EXPECT_THAT(other.token + rest, testing::StartsWith(other.continuation));
  }
}

TEST(InspectLanguageModel, MapsAreCausal) {
  const Example example = inspect(model_file::small_language_model(), kPrompt, kShort);
  const std::vector<std::string> input = tokens_of_axis(example, 0);
  const std::vector<std::string> output = tokens_of_axis(example, 1);
  ASSERT_EQ(input.size(), output.size());
  EXPECT_TRUE(std::equal(input.begin() + 1, input.end(), output.begin()));
  EXPECT_THAT(tokens_of_axis(example, 2), ElementsAre("w3", "w14", "w15"));
  ASSERT_THAT(example.attentions, SizeIs(2));
  for (const AttentionMaps& maps : example.attentions) {
    ASSERT_THAT(maps.heads, SizeIs(2));
    for (const Tensor& head : maps.heads) {
      ASSERT_EQ(head.rows(), std::ssize(input));
      for (int64_t i = 0; i < head.rows(); ++i) {
        const auto row = head.row_range(i, i + 1).span<float>();
        EXPECT_NEAR(std::accumulate(row.begin(), row.begin() + i + 1, 0.0), 1, 1e-5);
      }
    }
  }
}

TEST(InspectLanguageModel, ExplainsTheNextTokenByTheWordsOfThePrompt) {
  for (const char* flags : {"false", "false --position learned --norm-kind layer"}) {
    const auto session = model_file::small_language_model(flags);
    const Example whole = inspect(session, kPrompt, kShort);
    const Attributions& found = whole.attributions.value();
    ASSERT_THAT(found.labels, SizeIs(2));
    const Example without = inspect(session, "w3 w15", {.alternatives = 37, .max_continuation = 4});
    for (size_t i = 0; i < found.labels.size(); ++i) {
      const ExplainedLabel& label = found.labels[i];
      EXPECT_TRUE(label.is_complete);
      const float* row = found.gradients.data<float>() + i * 3;
      const double difference = label.score - label.baseline_score;
      EXPECT_NEAR(std::accumulate(row, row + 3, 0.0), difference,
                  0.01 * std::abs(difference) + 1e-4);
      const auto other =
          std::ranges::find(without.attributions->labels, label.label, &ExplainedLabel::label);
      ASSERT_NE(other, without.attributions->labels.end());
      EXPECT_NEAR(found.leave_one_out.data<float>()[i * 3 + 1], label.score - other->score, 1e-5);
    }
    EXPECT_EQ(found.labels[0].label, whole.predictions.front().tokens.front().token);
  }
}

TEST(InspectLanguageModel, CropsPromptsToTheContext) {
  const auto session = model_file::small_language_model();
  std::string prompt = "w1";
  for (int i = 0; i < 40; ++i) prompt += " w2";
  const Example example = inspect(session, prompt, kShort);
  EXPECT_THAT(example.note, HasSubstr("cropped from 41 to 28 tokens"));
  EXPECT_FALSE(inspect(session, "", kShort).attributions.has_value());
}

TEST(InspectLanguageModel, RefusesOptionsOfOtherKinds) {
  const auto session = model_file::small_language_model();
  EXPECT_NO_THROW(check_options(session, kShort));
  EXPECT_THROW(check_options(session, {.beam_size = 7}), OptionError);
}

}  // namespace
}  // namespace weft::inspect
