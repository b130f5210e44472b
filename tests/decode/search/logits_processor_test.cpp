// Each rule against a slow and obvious one: of all sentences there are, those that obey it.
#include "weft/decode/search/logits_processor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/decode/prefix_model.h"

namespace weft::decode {
namespace {

using Keeps = std::function<bool(const Hypothesis&)>;

constexpr int64_t kTokens = 5, kLongest = 5;

Request wide(std::vector<LogitsProcessor> processors) {
  return {.source = {0},
          .beam = {.size = 5000, .n_best = 5000},
          .length_limit = kLongest,
          .processors = std::move(processors)};
}

void expect_same_tokens(const NBest& got, const NBest& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].tokens, expected[i].tokens) << i;
    EXPECT_EQ(got[i].ended, expected[i].ended) << i;
    EXPECT_NEAR(got[i].log_probability, expected[i].log_probability, 1e-5) << i;
  }
}

// A search so wide that nothing is lost finds every sentence that keeps the rule, and no other.
void expect_those_that_keep(const Request& request, const Keeps& keeps) {
  for (uint64_t seed = 0; seed < 3; ++seed) {
    SCOPED_TRACE(seed);
    PrefixModel model(kTokens, seed);
    NBest expected = Oracle{model, request}.all();
    const size_t all = expected.size();
    std::erase_if(expected, [&](const Hypothesis& h) { return !keeps(h); });
    ASSERT_LT(expected.size(), all);
    ASSERT_GT(expected.size(), 0u);
    expect_same_tokens(search(model, {request})[0], expected);
  }
}

bool holds(const std::vector<int32_t>& tokens, const std::vector<int32_t>& phrase) {
  return std::search(tokens.begin(), tokens.end(), phrase.begin(), phrase.end()) != tokens.end();
}

TEST(Request, MinLengthLetsNoHypothesisEndBefore) {
  Request request = wide({});
  request.min_length = 3;
  expect_those_that_keep(request, [](const Hypothesis& h) { return std::ssize(h.tokens) >= 3; });
}

TEST(NoRepeatNgram, LetsNoneStandTwice) {
  for (const int64_t size : {1, 2, 3}) {
    SCOPED_TRACE(size);
    expect_those_that_keep(wide({NoRepeatNgram{size}}), [&](const Hypothesis& h) {
      for (int64_t i = 0; i + size <= std::ssize(h.tokens); ++i) {
        for (int64_t j = 0; j < i; ++j) {
          const auto *a = h.tokens.data() + i, *b = h.tokens.data() + j;
          if (std::equal(a, a + size, b)) return false;
        }
      }
      return true;
    });
  }
}

TEST(BannedPhrases, StandNowhere) {
  const std::vector<std::vector<int32_t>> phrases = {{3}, {0, 4}, {2, 2, 0}, {4, 0, 4, 0, 4, 0}};
  expect_those_that_keep(wide({BannedPhrases{phrases}}), [&](const Hypothesis& h) {
    return std::ranges::none_of(phrases, [&](const auto& p) { return holds(h.tokens, p); });
  });
}

TEST(RepetitionPenalty, MultipliesWhatIsSaidOfTokensAgain) {
  for (const double factor : {1.7, 0.6}) {
    const Request request = wide({RepetitionPenalty{factor}});
    PrefixModel model(kTokens, 4);
    const NBest got = search(model, {request})[0];
    ASSERT_EQ(got.size(), (Oracle{model, request}.all().size()));
    for (const Hypothesis& h : got) {
      double expected = 0;
      Prefix prefix = {0, kModelBegin};
      std::vector<int32_t> tokens = h.tokens;
      if (h.ended) tokens.push_back(kModelEnd);
      for (const int32_t token : tokens) {
        const double p = log_softmax(model.logits(prefix))[static_cast<size_t>(token)];
        const bool is_again = std::find(prefix.begin() + 2, prefix.end(), token) != prefix.end();
        expected += is_again ? factor * p : p;
        prefix.push_back(token);
      }
      EXPECT_NEAR(h.log_probability, expected, 1e-4);
    }
  }
}

TEST(Request, PrefixBeginsEveryHypothesis) {
  Request request = wide({});
  request.prefix = {4, 0};
  request.min_length = 3;
  request.forbidden = {0, 3};  // but in the prefix, which overrides it
  PrefixModel model(kTokens, 1);
  NBest expected = Oracle{model, request}.all();
  std::erase_if(expected, [&](const Hypothesis& h) {
    const std::vector<int32_t>& prefix = request.prefix;
    if (std::ssize(h.tokens) < 3 || !std::equal(prefix.begin(), prefix.end(), h.tokens.begin())) {
      return true;
    }
    return std::any_of(h.tokens.begin() + 2, h.tokens.end(),
                       [](int32_t token) { return token == 0 || token == 3; });
  });
  expect_same_tokens(search(model, {request})[0], expected);
}

TEST(Request, HasAPrefixOfItsOwn) {
  std::vector<Request> requests(3, wide({}));
  for (int32_t r = 0; r < 3; ++r) {
    requests[r].source = {r};
    requests[r].beam.size = requests[r].beam.n_best = 3;
    requests[r].length_limit = 6;
  }
  requests[0].prefix = {4};
  requests[2].prefix = {0, 3, 3};
  PrefixModel model(kTokens, 1), alone(kTokens, 1);
  const auto found = search(model, requests);
  for (const Hypothesis& h : found[0]) EXPECT_EQ(h.tokens.at(0), 4);
  for (const Hypothesis& h : found[2]) {
    EXPECT_THAT(std::vector(h.tokens.begin(), h.tokens.begin() + 3), testing::ElementsAre(0, 3, 3));
  }
  expect_same_tokens(found[1], search(alone, {requests[1]})[0]);
}

}  // namespace
}  // namespace weft::decode
