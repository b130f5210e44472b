#include "weft/inspect/kinds/masked_lm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
