#include "weft/decode/search/processors/dry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/errors.h"
#include "tests/support/options.h"
#include "weft/core/error.h"
#include "weft/core/random.h"

namespace weft::decode {
namespace {

using DryTokens = std::vector<int32_t>;

constexpr int32_t kDryVocabulary = 6;

// Token 5 ends in "a" and token 4 begins with "b": "ab" is a breaker across the two.
std::string text_of_dry_token(int32_t token) {
  const char* const texts[] = {"x", "y", "z", ":", "bw", "wa"};
  return texts[token];
}

std::string text_of_all(const DryTokens& tokens, size_t begin, size_t end) {
  std::string out;
  for (size_t i = begin; i < end; ++i) out += text_of_dry_token(tokens[i]);
  return out;
}

bool holds_any(const std::string& text, const std::vector<std::string>& breakers) {
  for (const std::string& breaker : breakers) {
    if (text.find(breaker) != text.npos) return true;
  }
  return false;
}

// The penalty of each token by the definition, in any time.
std::vector<double> penalties_by_definition(const DryOptions& o, DryTokens window) {
  if (std::ssize(window) > o.last_n) window.erase(window.begin(), window.end() - o.last_n);
  const size_t size = window.size();
  std::vector<double> out(kDryVocabulary, 0);
  for (int32_t token = 0; token < kDryVocabulary; ++token) {
    if (holds_any(text_of_dry_token(token), o.sequence_breakers)) continue;
    int64_t longest = 0;
    for (size_t end = 1; end < size; ++end) {  // of an earlier occurrence, before `token`
      if (window[end] != token) continue;
      for (size_t n = 1; n <= end; ++n) {
        const bool is_same = std::equal(window.end() - static_cast<int64_t>(n), window.end(),
                                        window.begin() + static_cast<int64_t>(end - n));
        // A breaker may end in the token before the n last ones.
        if (!is_same || holds_any(text_of_all(window, size - n, size), o.sequence_breakers))
          continue;
        bool is_cut = false;
        for (size_t begin = 0; begin + n < size; ++begin) {
          const std::string before = text_of_all(window, begin, size - n);
          const std::string all = text_of_all(window, begin, size);
          for (const std::string& b : o.sequence_breakers) {
            for (size_t at = all.find(b); at != all.npos; at = all.find(b, at + 1)) {
              is_cut |= at < before.size() && at + b.size() > before.size();
            }
          }
        }
        if (!is_cut) longest = std::max(longest, static_cast<int64_t>(n));
      }
    }
    if (longest >= o.allowed_length) {
      out[static_cast<size_t>(token)] =
          o.multiplier * std::pow(o.base, static_cast<double>(longest - o.allowed_length));
    }
  }
  return out;
}

std::vector<float> penalised(const DryOptions& options, const DryTokens& prompt,
                             const DryTokens& tokens) {
  std::vector<float> logits(kDryVocabulary, 0);
  TokenScores scores{logits};
  Dry{options, text_of_dry_token}({prompt, tokens}, scores);
  return logits;
}

void expect_dry(const DryOptions& options, const DryTokens& prompt, const DryTokens& tokens) {
  DryTokens all = prompt;
  all.insert(all.end(), tokens.begin(), tokens.end());
  const std::vector<double> expected = penalties_by_definition(options, all);
  const std::vector<float> got = penalised(options, prompt, tokens);
  for (size_t v = 0; v < expected.size(); ++v) {
    EXPECT_NEAR(got[v], -expected[v], 1e-4 * (1 + expected[v])) << v;
  }
}

TEST(Dry, PenalisesWhatGoesOnARepetition) {
  const DryOptions options{.multiplier = 0.8, .sequence_breakers = {}};
  // "0 1 2 0" came before "1", the last two of them; "2 0" is the longest end before it.
  EXPECT_THAT(penalised(options, {2, 0, 1}, {2, 0}),
              testing::Pointwise(testing::FloatEq(), {0.F, -0.8F, 0.F, 0.F, 0.F, 0.F}));
  EXPECT_THAT(penalised(options, {1, 2, 0, 1}, {1, 2, 0}),
              testing::Pointwise(testing::FloatEq(), {0.F, -1.4F, 0.F, 0.F, 0.F, 0.F}));
}

TEST(Dry, EqualsItsDefinition) {
  RandomStream random(3, 1);
  const std::vector<std::vector<std::string>> breakers = {{}, {":"}, {":", "ab"}, {"zx", "a"}};
  for (int i = 0; i < 400; ++i) {
    DryTokens tokens(random.below(40));
    const uint64_t kinds = 2 + random.below(kDryVocabulary - 1);
    for (int32_t& t : tokens) {
      t = static_cast<int32_t>(kDryVocabulary - kinds + random.below(kinds));
    }
    const auto middle = tokens.begin() + static_cast<int64_t>(random.below(tokens.size() + 1));
    const DryOptions options{.multiplier = 0.5,
                             .base = 1.2,
                             .allowed_length = 1 + static_cast<int64_t>(random.below(3)),
                             .last_n = i % 2 == 0 ? 1000 : 12,
                             .sequence_breakers = breakers[random.below(breakers.size())]};
    SCOPED_TRACE(i);
    expect_dry(options, {tokens.begin(), middle}, {middle, tokens.end()});
  }
}

TEST(Dry, IsFiniteForAnyRepetition) {
  const DryTokens same(5000, 1);
  const DryOptions options{
      .multiplier = 2, .base = 1000, .last_n = 10000, .sequence_breakers = {":"}};
  EXPECT_FLOAT_EQ(penalised(options, {}, same)[1], -1e30F);
}

TEST(DryOptions, AreRefusedWhereNothingReadsThem) {
  const auto message_of = [](const std::string& flags) {
    DryOptions options;
    test::set(options, flags);
    return test::message_of<OptionError>([&] { options.validate(); });
  };
  EXPECT_THAT(message_of("--dry-base 2"),
              testing::StartsWith("--dry-base: is not read without --dry-multiplier"));
  DryOptions empty{.multiplier = 1, .sequence_breakers = {"a", ""}};
  EXPECT_EQ(test::message_of<OptionError>([&] { empty.validate(); }),
            "--dry-sequence-breakers: a string is empty");
}

}  // namespace
}  // namespace weft::decode
