#include "weft/decode/search/processors/token_penalties.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/errors.h"
#include "weft/core/error.h"
#include "weft/core/random.h"
#include "weft/decode/search/processors/logit_bias.h"

namespace weft::decode {
namespace {

std::vector<float> random_logits(RandomStream& random) {
  std::vector<float> out;
  for (int v = 0; v < 9; ++v) out.push_back(static_cast<float>(3 * random.normal()));
  return out;
}

TEST(TokenHistory, EndsInBothParts) {
  const std::vector<int32_t> prompt = {1, 2, 3}, tokens = {4, 5};
  const TokenHistory history{prompt, tokens};
  EXPECT_THAT(history.last(1), testing::ElementsAre(5));
  EXPECT_THAT(history.last(4), testing::ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(history.last(100), testing::ElementsAre(1, 2, 3, 4, 5));
}

TEST(TokenPenalties, EqualTheirDefinition) {
  RandomStream random(1, 8);
  for (const int64_t last_n : {1, 4, 100}) {
    for (int i = 0; i < 20; ++i) {
      std::vector<int32_t> all(random.below(12));
      for (int32_t& t : all) t = static_cast<int32_t>(random.below(9));
      const auto of_prompt = random.below(all.size() + 1);
      const TokenPenalties penalties{
          .repetition = 1.3, .frequency = 0.7, .presence = 0.4, .last_n = last_n};
      std::vector<float> logits = random_logits(random);
      const std::vector<float> before = logits;
      TokenScores scores{logits};
      penalties({std::span(all).first(of_prompt), std::span(all).subspan(of_prompt)}, scores);
      for (int32_t v = 0; v < 9; ++v) {
        const auto window = std::min<int64_t>(last_n, std::ssize(all));
        const auto count = std::count(all.end() - window, all.end(), v);
        double expected = before[static_cast<size_t>(v)];
        if (count > 0) {
          expected = expected > 0 ? expected / 1.3 : expected * 1.3;
          expected -= 0.7 * static_cast<double>(count) + 0.4;
        }
        EXPECT_NEAR(logits[static_cast<size_t>(v)], expected, 1e-5);
      }
    }
  }
}

TEST(TokenPenalties, RefuseAWindowThatNothingReads) {
  const TokenPenalties window{.last_n = 5};
  EXPECT_THAT(test::message_of<OptionError>([&] { window.validate(); }),
              testing::StartsWith("--repeat-last-n: is not read without --repetition-penalty"));
  const TokenPenalties read{.presence = 1, .last_n = 5};
  EXPECT_NO_THROW(read.validate());
}

TEST(LogitBias, IsAddedToEachToken) {
  std::vector<float> logits = {0.5F, 1, 2};
  TokenScores scores{logits};
  LogitBias{{{1, -3}, {2, kNever}, {7, 1}, {1, 0.5F}}}({}, scores);
  EXPECT_THAT(logits, testing::ElementsAre(0.5F, -1.5F, kNever));
}

}  // namespace
}  // namespace weft::decode
