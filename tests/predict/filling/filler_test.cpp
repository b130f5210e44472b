#include "weft/predict/filling/filler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/model_file/encoder_folder.h"
#include "tests/model_file/small_masked_lm.h"
#include "tests/predict/predicted.h"

namespace weft::predict {
namespace {

using model_file::MaskedLmSession;

std::vector<FilledLine> filled(const MaskedLmSession& session,
                               const std::vector<std::string>& lines, Report& report,
                               const FillOptions& options = {},
                               const TextBatchOptions& batches = {}) {
  return predict(Filler(session, options, batches), test::lines_of(lines), report);
}

// As it computes them from all rows.
TEST(Filler, GivesTheProbabilitiesOfTheModel) {
  const MaskedLmSession session = model_file::small_masked_lm();
  Report report;
  const auto found = filled(session, {"w1 [MASK] w3"}, report, {.top = 100}).front();
  data::Tokens text;
  const auto mask = static_cast<int32_t>(session.model.dims.mask_id);
  const auto id = [&](const char* word) { return session.tokeniser->encode(word).front(); };
  text.add(std::vector<int32_t>{session.tokeniser->begin_id(), id("w1"), mask, id("w3"),
                                session.tokeniser->end_id()});
  const Tensor logits = session.model.logits(session.model.states(text, {2}, {}), {});
  double sum = 0;
  for (int64_t v = 0; v < logits.cols(); ++v) sum += std::exp(logits.data<float>()[v]);
  ASSERT_EQ(found.masks.size(), 1u);
  const std::vector<TokenCandidate>& candidates = found.masks.front();
  ASSERT_EQ(candidates.size(), 8u);  // no special symbols
  for (const auto& [token, probability] : candidates) {
    EXPECT_NEAR(probability, std::exp(logits.data<float>()[token]) / sum, 1e-6);
  }
  EXPECT_TRUE(std::ranges::is_sorted(candidates, std::greater(), &TokenCandidate::probability));
  EXPECT_EQ(found.text,
            "w1 " + std::string(session.tokeniser->piece(candidates.front().token)) + " w3");
}

TEST(Filler, FillsEachMaskByItself) {
  const MaskedLmSession session = model_file::small_masked_lm();
  Report report;
  const std::vector<std::string> lines = {"[MASK] w2 [MASK]", "w1 [MASK]", "w4 [MASK] w5 w6"};
  const auto together = filled(session, lines, report, {.top = 3});
  EXPECT_EQ(together[0].masks.size(), 2u);
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto alone = filled(session, {lines[i]}, report, {.top = 3}).front();
    EXPECT_EQ(alone.text, together[i].text);
    for (size_t m = 0; m < alone.masks.size(); ++m) {
      for (size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(alone.masks[m][k].probability, together[i].masks[m][k].probability);
      }
    }
  }
}

TEST(Filler, ReportsLinesThatCannotBeFilled) {
  const MaskedLmSession session = model_file::small_masked_lm();  // 10 tokens and 2 symbols
  Report report;
  const std::string ten = "w1 w1 w1 w1 w1 w1 w1 w1 w1 w1";
  const auto found =
      filled(session, {"", "w1 w2", "[MASK] w9", ten + " [MASK]", "[MASK] " + ten}, report);
  EXPECT_EQ(
      report.text(),
      "5 lines: 1 empty, 1 over the context of the model (left empty), 1 without a mask (left "
      "empty), 1 cropped, 1 with unknown tokens; the first fault is in line 2: no [MASK]; "
      "expected at least one");
  EXPECT_EQ(found[3].fault->reason, "a mask behind 10 tokens; expected all within the first 10");
  EXPECT_EQ(found[1].text, "");
  EXPECT_TRUE(found[4].text.ends_with(" " + ten)) << found[4].text;
}

TEST(Filler, TakesAnotherMaskToken) {
  const MaskedLmSession session = model_file::small_masked_lm();
  Report report;
  const auto found = filled(session, {"w1 ___ w3", "w1 [MASK] w3"}, report, {.mask_token = "___"});
  EXPECT_EQ(found[0].text, filled(session, {"w1 [MASK] w3"}, report).front().text);
  EXPECT_EQ(found[1].fault->reason, "no ___; expected at least one");
}

TEST(Filler, FillsByTheTokenisersOfTransformers) {
  for (const char* name : {"bert_masked_lm", "roberta_masked_lm", "xlm_roberta_masked_lm"}) {
    SCOPED_TRACE(name);
    const auto session = model_file::EncoderFolder(name).read<MaskedLmSession>();
    const std::string mask = session.mask_text();
    Report report;
    const auto found = filled(session, {"the " + mask + " sat", mask}, report);
    EXPECT_FALSE(found[0].fault);
    EXPECT_TRUE(found[0].text.starts_with("the"));
    EXPECT_TRUE(found[0].text.ends_with(" sat")) << found[0].text;
    EXPECT_FALSE(found[1].text.empty());
  }
}

}  // namespace
}  // namespace weft::predict
