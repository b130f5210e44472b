#include "weft/inspect/kinds/translator.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "tests/decode/small_session.h"
#include "tests/inspect/example.h"
#include "tests/predict/predicted.h"
#include "tests/support/options.h"
#include "weft/core/error.h"
#include "weft/predict/translation/translator.h"

namespace weft::inspect {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kText = "w3 w14 w15 w9 w2";

TEST(InspectSeq2Seq, HasTheTranslationsOfTranslate) {
  const auto session = decode::small_session(decode::small_options());
  decode::DecodeOptions options;
  options.n_best = true;
  options.beam_size = 4;
  predict::Translator translator(session, options);
  const std::string expected = test::translated(translator, {kText}).front();
  const Example example = inspect(session, kText, {.beam_size = 4});
  ASSERT_EQ(example.predictions.size(), 4u);
  for (const Prediction& prediction : example.predictions) {
    EXPECT_THAT(expected, HasSubstr(fmt::format("||| {} ||| ", prediction.text)));
    double sum = 0;
    for (const PredictedToken& token : prediction.tokens) sum += std::log(token.probability);
    EXPECT_NEAR(sum, *prediction.log_probability, 1e-6);
  }
}

TEST(InspectSeq2Seq, MapsBelongToTheirAxes) {
  const auto session = decode::small_session(decode::small_options());
  const Example example = inspect(session, kText, {});
  EXPECT_THAT(tokens_of_axis(example, 0), ElementsAre("w3", "w14", "w15", "w9", "w2", "</s>"));
  EXPECT_EQ(tokens_of_axis(example, 1).front(), "<s>");
  EXPECT_EQ(tokens_of_axis(example, 2).size(), example.predictions.front().tokens.size());
  ASSERT_EQ(example.attentions.size(), 6u);  // 2 layers of self, self and cross
  EXPECT_EQ(example.attentions.front().stack, "encoder");
  for (const AttentionMaps& maps : example.attentions) {
    ASSERT_EQ(maps.heads.size(), 4u);
    for (const Tensor& head : maps.heads) {
      ASSERT_EQ(head.rows(), example.axes[maps.queries].size());
      ASSERT_EQ(head.cols(), example.axes[maps.keys].size());
      for (int64_t i = 0; i < head.rows(); ++i) {
        const auto row = head.row_range(i, i + 1).span<float>();
        EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, 1e-5);
      }
    }
  }
}

// Each is what decoding with that beginning gives, and the probabilities of a step are of one
// distribution.
TEST(InspectSeq2Seq, AlternativesContinueFromTheirToken) {
  const auto session = decode::small_session(decode::small_options());
  const Example example = inspect(session, kText, {.alternatives = 2});
  decode::DecodeOptions options;
  options.force_decode = true;
  options.beam_size = 1;
  predict::Translator translator(session, options);
  std::string before;
  for (const PredictedToken& token : example.predictions.front().tokens) {
    ASSERT_EQ(token.alternatives.size(), 2u);
    EXPECT_GE(token.alternatives[0].probability, token.alternatives[1].probability);
    EXPECT_LE(
        token.probability + token.alternatives[0].probability + token.alternatives[1].probability,
        1 + 1e-9);
    for (const Alternative& other : token.alternatives) {
      EXPECT_NE(other.token, token.token);
      if (other.token == "</s>") continue;
      const std::string line = fmt::format("{}\t{}{}", kText, before, other.token);
      EXPECT_EQ(other.continuation, test::translated(translator, {line}).front());
    }
    before += token.token + " ";
  }
}

TEST(InspectSeq2Seq, EveryHypothesisIsAPathOfTheTree) {
  const auto session = decode::small_session(decode::small_options());
  const Example example = inspect(session, kText, {.beam_size = 3});
  std::map<std::string, double> paths;  // of those that ended
  std::vector<std::string> texts;
  std::vector<double> sums;
  for (const BeamNode& node : example.beam) {
    ASSERT_LT(node.parent, std::ssize(texts));
    const bool is_first = node.parent < 0;
    texts.push_back(is_first ? node.token : texts[node.parent] + " " + node.token);
    sums.push_back(node.log_probability + (is_first ? 0 : sums[node.parent]));
    if (node.is_end) paths[texts.back()] = sums.back();
  }
  for (const Prediction& prediction : example.predictions) {
    if (prediction.tokens.back().token != "</s>") continue;
    const std::string path = prediction.text.empty() ? "</s>" : prediction.text + " </s>";
    ASSERT_TRUE(paths.contains(path)) << path;
    EXPECT_NEAR(paths[path], *prediction.log_probability, 1e-9);
  }
}

TEST(InspectSeq2Seq, CropsLongTextAndSaysSo) {
  const auto session = decode::small_session(decode::small_options());
  const Example example = inspect(session, kText, {.max_length = 2});
  EXPECT_EQ(example.note, "cropped from 5 to 2 tokens");
  EXPECT_THAT(tokens_of_axis(example, 0), ElementsAre("w3", "w14", "</s>"));
}

TEST(InspectSeq2Seq, HasNothingToShowOfAnEmptyLine) {
  const auto session = decode::small_session(decode::small_options());
  const Example example = inspect(session, "", {});
  EXPECT_TRUE(example.attentions.empty());
  EXPECT_TRUE(example.predictions.empty());
}

TEST(InspectSeq2Seq, ShowsWhatRecurrentDecodersAttendTo) {
  models::Seq2SeqOptions options;
  options.type.select("rnn-attention");
  options.encoder.dim_emb = 32;
  options.encoder.enc_depth = options.decoder.dec_depth = 1;
  const Example example = inspect(decode::small_session(options), kText, {});
  ASSERT_EQ(example.attentions.size(), 1u);
  EXPECT_EQ(example.attentions.front().role, nn::AttentionRole::kCross);
}

TEST(InspectSeq2Seq, RefusesModelsThatAreNotLeftToRight) {
  models::Seq2SeqOptions options = decode::small_options();
  test::set(options, "--generation ctc");
  const auto session = decode::small_session(options);
  EXPECT_THROW(inspect(session, kText, {}), OptionError);
}

}  // namespace
}  // namespace weft::inspect
