#include "weft/inspect/kinds/masked_lm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/inspect/example.h"
#include "tests/model_file/small_masked_lm.h"
#include "tests/predict/predicted.h"
#include "tests/support/errors.h"
#include "weft/core/error.h"
#include "weft/predict/filling/filler.h"

namespace weft::inspect {
namespace {

using testing::StartsWith;

TEST(InspectedMaskedLm, ShowsWhatMasksStandForAsTheFillerDoes) {
  const auto session = model_file::small_masked_lm();
  const std::string text = "w1 [MASK] w3 [MASK]";
  const Example example = inspect(session, text, {.alternatives = 4});
  EXPECT_EQ(example.note, "");
  ASSERT_EQ(example.predictions.size(), 1u);
  const predict::Filler filler(session, {.mask_token = {}, .top = 5}, {});
  const predict::FilledLine filled = test::predicted(filler, test::lines_of({text})).front();
  const Prediction& found = example.predictions.front();
  EXPECT_EQ(found.text, filled.text);
  ASSERT_EQ(found.tokens.size(), 2u);
  for (size_t m = 0; m < 2; ++m) {
    const std::vector<predict::TokenCandidate>& expected = filled.masks[m];
    EXPECT_EQ(found.tokens[m].token, filler.text_of(expected.front()));
    EXPECT_EQ(found.tokens[m].probability, expected.front().probability);
    ASSERT_EQ(found.tokens[m].alternatives.size(), 4u);
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(found.tokens[m].alternatives[i].token, filler.text_of(expected[i + 1]));
      EXPECT_EQ(found.tokens[m].alternatives[i].probability, expected[i + 1].probability);
    }
  }
  EXPECT_EQ(found.tokens[1].alternatives[0].continuation,
            "w1 " + found.tokens[0].token + " w3 " + found.tokens[1].alternatives[0].token);
}

TEST(InspectedMaskedLm, HasTheAttentionOfTextsWithAndWithoutMasks) {
  const auto session = model_file::small_masked_lm();
  const Example masked = inspect(session, "w1 [MASK]", {});
  ASSERT_EQ(masked.attentions.size(), 2u);
  const std::vector<std::string> tokens = tokens_of_axis(masked, 0);
  ASSERT_EQ(tokens.size(), 4u);  // with those that begin and end a text
  EXPECT_EQ(tokens[1], "w1");
  EXPECT_EQ(tokens[2], "[MASK]");
  const Tensor& head = masked.attentions[1].heads.at(0);
  ASSERT_EQ(head.shape(), (Shape{4, 4}));
  float sum = 0;
  for (int64_t i = 0; i < 4; ++i) sum += head.data<float>()[i];
  EXPECT_NEAR(sum, 1, 1e-5);
  const Example plain = inspect(session, "w1 w2", {});
  EXPECT_EQ(plain.attentions.size(), 2u);
  EXPECT_TRUE(plain.predictions.empty());
  EXPECT_EQ(plain.note, "");
  EXPECT_FALSE(positions_of(session).empty());
}

// The score of a token for the mask at this place of a text, as weft fill computes it.
float score_of(const model_file::MaskedLmSession& session, std::string_view text, size_t mask,
               int32_t token) {
  const predict::MaskedText read = predict::read_masked_text(
      *session.tokeniser, {"[MASK]", static_cast<int32_t>(session.model.dims.mask_id)}, text);
  std::vector<int32_t> ids = {session.tokeniser->begin_id()};
  ids.insert(ids.end(), read.ids.begin(), read.ids.end());
  ids.push_back(session.tokeniser->end_id());
  data::Tokens tokens;
  tokens.add(ids);
  const Tensor states = session.model.states(tokens, {read.masks[mask] + 1}, {});
  return session.model.logits(states, {}).span<float>()[token];
}

TEST(InspectedMaskedLm, SaysWhichWordsSpeakForATokenOfAMask) {
  const auto session = model_file::small_masked_lm();
  const Example example = inspect(session, "w1 [MASK] w3 [MASK]", {});
  EXPECT_EQ(tokens_of_axis(example, 1), (std::vector<std::string>{"w1", "[MASK]", "w3", "[MASK]"}));
  const Attributions& found = example.attributions.value();
  ASSERT_EQ(found.labels.size(), 2u);
  const char* const texts_without[2][4] = {
      {"[MASK] w3 [MASK]", nullptr, "w1 [MASK] [MASK]", "w1 [MASK] w3"},
      {"[MASK] w3 [MASK]", "w1 w3 [MASK]", "w1 [MASK] [MASK]", nullptr}};
  for (size_t m = 0; m < 2; ++m) {
    const ExplainedLabel& label = found.labels[m];
    EXPECT_EQ(label.label, example.predictions[0].tokens[m].token);
    EXPECT_EQ(label.word, m == 0 ? 1 : 3);
    EXPECT_TRUE(label.is_complete);
    const int32_t token = session.tokeniser->encode(label.label).front();
    EXPECT_NEAR(label.score, score_of(session, example.input, m, token), 1e-5);
    double sum = 0;
    for (size_t w = 0; w < 4; ++w) {
      const float gradient = found.gradients.data<float>()[4 * m + w];
      const bool is_mask = w % 2 == 1;
      EXPECT_TRUE(!is_mask || gradient == 0) << "masks are in the baseline, too";
      sum += gradient;
      const char* text = texts_without[m][w];
      const size_t mask = m == 1 && w == 1 ? 0 : m;
      const double expected =
          text == nullptr ? 0 : label.score - score_of(session, text, mask, token);
      EXPECT_NEAR(found.leave_one_out.data<float>()[4 * m + w], expected, 1e-5) << m << w;
    }
    EXPECT_NEAR(sum, label.score - label.baseline_score,
                0.01 * std::abs(label.score - label.baseline_score) + 1e-5);
  }
  const Example fewer = inspect(session, "w1 [MASK] w3 [MASK]", {.most_explained = 1});
  EXPECT_EQ(fewer.attributions->labels.size(), 1u);
  EXPECT_EQ(fewer.note, "the tokens of the first 1 mask are explained; hint: --max-explained");
}

TEST(InspectedMaskedLm, SaysWhatItDoesNotShow) {
  const auto session = model_file::small_masked_lm();
  EXPECT_EQ(inspect(session, "", {}).note, "no tokens");
  const Example cropped = inspect(session, "w1 [MASK] w3 w4 w5", {.max_length = 3});
  EXPECT_EQ(cropped.note, "cropped to 3 tokens");
  EXPECT_EQ(tokens_of_axis(cropped, 0).size(), 5u);
  EXPECT_EQ(cropped.predictions.size(), 1u);
  const Example behind = inspect(session, "w1 w2 w3 [MASK]", {.max_length = 3});
  EXPECT_THAT(behind.note, StartsWith("cropped to 3 tokens; a mask behind 3 tokens"));
  EXPECT_TRUE(behind.predictions.empty());
  EXPECT_THROW(check_options(session, {.beam_size = 7}), OptionError);
  session.parameters.data<float>()[5 * 16] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(inspect(session, "w1 [MASK] w3", {}), NumericError);
}

}  // namespace
}  // namespace weft::inspect
