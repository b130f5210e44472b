#include "weft/decode/search/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/decode/prefix_model.h"
#include "tests/support/kept_threads.h"
#include "tests/support/options.h"
#include "weft/decode/options.h"

namespace weft::decode {
namespace {

constexpr int64_t kDraws = 20000;
const std::vector<float> kLogits = {1.0f, -2.0f, 3.0f, 0.5f, 2.5f, -1.0f, 2.0f};

std::vector<double> expected_shares(const std::vector<bool>& is_kept, double temperature) {
  std::vector<double> out;
  double sum = 0;
  for (size_t v = 0; v < kLogits.size(); ++v) {
    out.push_back(is_kept[v] ? std::exp(double{kLogits[v]} / temperature) : 0);
    sum += out.back();
  }
  for (double& x : out) x /= sum;
  return out;
}

// How often tokens are drawn, against their probabilities: within five standard deviations.
void expect_shares(const Sampling& sampling, const std::vector<double>& expected) {
  NextTokens drawn;
  const std::vector<RowSelection> rows = {
      {.count = kDraws, .width = std::ssize(kLogits), .sampling = &sampling, .stream = 9}};
  drawn.find(Tensor::from(kLogits, {1, std::ssize(kLogits)}), rows);
  ASSERT_EQ(std::ssize(drawn.row(0)), kDraws);
  std::vector<double> counts(kLogits.size());
  const std::vector<double> log_p = log_softmax(kLogits);
  for (const ScoredToken& t : drawn.row(0)) {
    ++counts[static_cast<size_t>(t.token)];
    ASSERT_NEAR(t.log_probability, log_p[static_cast<size_t>(t.token)], 1e-5);
  }
  for (size_t v = 0; v < counts.size(); ++v) {
    const double p = expected[v];
    EXPECT_NEAR(counts[v], kDraws * p, 5 * std::sqrt(kDraws * p * (1 - p))) << v;
  }
}

TEST(Sampler, DrawsByProbability) {
  const std::vector<bool> all(kLogits.size(), true);
  expect_shares({}, expected_shares(all, 1));
  expect_shares({.chain = {Temperature{2.5}}}, expected_shares(all, 2.5));
  expect_shares({.chain = {Temperature{0.4}}}, expected_shares(all, 0.4));
}

TEST(Sampler, DrawsFromTheMostProbable) {
  expect_shares({.chain = {TopK{3}}},
                expected_shares({false, false, true, false, true, false, true}, 1));
  expect_shares({.chain = {TopK{1}}},
                expected_shares({false, false, true, false, false, false, false}, 1));
  expect_shares({.chain = {TopK{100}}}, expected_shares(std::vector<bool>(7, true), 1));
}

TEST(Sampler, DrawsFromTheNucleus) {
  // Shares 0.42, 0.26, 0.16 of tokens 2, 4 and 6: half takes two of them, 0.8 three.
  expect_shares({.chain = {TopP{0.5}}},
                expected_shares({false, false, true, false, true, false, false}, 1));
  expect_shares({.chain = {TopP{0.8}}},
                expected_shares({false, false, true, false, true, false, true}, 1));
  expect_shares({.chain = {TopP{0}}},
                expected_shares({false, false, true, false, false, false, false}, 1));
  expect_shares({.chain = {TopP{1}}}, expected_shares(std::vector<bool>(7, true), 1));
}

TEST(Sampler, DrawsFromTokensNearTheMostProbable) {
  // 0.42 times 0.5 is more than the 0.16 of token 6; times 0.3 it is less.
  expect_shares({.chain = {MinP{0.5}}},
                expected_shares({false, false, true, false, true, false, false}, 1));
  expect_shares({.chain = {MinP{0.3}}},
                expected_shares({false, false, true, false, true, false, true}, 1));
  expect_shares({.chain = {MinP{1}}},
                expected_shares({false, false, true, false, false, false, false}, 1));
}

TEST(Sampler, AppliesTheLinksOfItsChainInTheirOrder) {
  const std::vector<bool> three = {false, false, true, false, true, false, true};
  const std::vector<bool> two = {false, false, true, false, true, false, false};
  // Of the three most probable tokens the first has half of the mass.
  expect_shares({.chain = {TopK{3}, TopP{0.51}}}, expected_shares(two, 1));
  expect_shares({.chain = {TopK{3}, TopP{0.49}}},
                expected_shares({false, false, true, false, false, false, false}, 1));
  expect_shares({.chain = {TopK{4}, MinP{0.3}, Temperature{2.5}}}, expected_shares(three, 2.5));
  expect_shares({.chain = {Temperature{0.4}, MinP{0.3}}},
                expected_shares({false, false, true, false, false, false, false}, 0.4));
}

SamplingOptions sampling_options(const std::string& flags) {
  DecodeOptions options;
  test::set(options, flags);
  return options.sampling;
}

std::vector<std::string> names(const SamplingChain& chain) {
  std::vector<std::string> out;
  for (const SamplingLink& link : chain) {
    out.push_back(std::visit([](const auto& l) { return std::string(l.kName); }, link));
  }
  return out;
}

TEST(SamplingOptions, AreAChainOfFiltersAndThenTheTemperature) {
  using testing::ElementsAre;
  EXPECT_THAT(names(sampling_options("--sampling temperature").chain()), ElementsAre());
  EXPECT_THAT(names(sampling_options("--sampling temperature --min-p 0.05 --temperature 0.7 "
                                     "--top-p 0.9 --top-k 40")
                        .chain()),
              ElementsAre("top_k", "top_p", "min_p", "temperature"));
}

TEST(SamplingOptions, OfEarlierVersionsTakeTheTemperatureFirst) {
  using testing::ElementsAre;
  const SamplingChain best = sampling_options("--sampling topk --sampling-topk 7").chain();
  EXPECT_THAT(names(best), ElementsAre("temperature", "top_k"));
  EXPECT_EQ(std::get<TopK>(best[1]).k, 7);
  const SamplingChain nucleus = sampling_options("--sampling topp --temperature 2").chain();
  EXPECT_THAT(names(nucleus), ElementsAre("temperature", "top_p"));
  EXPECT_EQ(std::get<Temperature>(nucleus[0]).value, 2);
  EXPECT_EQ(std::get<TopP>(nucleus[1]).p, 0.9);
}

TEST(Sampler, NeverDrawsWhatIsForbidden) {
  NextTokens drawn;
  const Sampling sampling{.chain = {TopK{2}}};
  const std::vector<RowSelection> rows = {
      {.count = 200, .width = 7, .sampling = &sampling, .stream = 1},
      {.count = 200, .width = 7, .sampling = &sampling, .stream = 2}};
  std::vector<float> logits = kLogits;
  logits.insert(logits.end(), kLogits.begin(), kLogits.end());
  drawn.find(Tensor::from(logits, {2, 7}), rows, [](int64_t w, TokenScores& scores) {
    for (int32_t v = 0; v < 7; ++v) {
      if (w == 1 || v == 2) scores.forbid(v);
    }
  });
  for (const ScoredToken& t : drawn.row(0)) EXPECT_TRUE(t.token == 4 || t.token == 6);
  EXPECT_TRUE(drawn.row(1).empty());
}

Request drawing(int64_t size, uint64_t seed, int64_t limit) {
  return {.source = {0},
          .beam = {.size = size, .n_best = size},
          .length_limit = limit,
          .sampling = Sampling{.seed = seed}};
}

// Sentences come out as often as the model says, whole ones.
TEST(SamplingSearch, DrawsSentencesByTheirProbability) {
  constexpr int64_t kSamples = 20000;
  const Request request = drawing(kSamples, 3, 3);
  PrefixModel model(4, 5);
  const NBest drawn = search(model, {request})[0];
  ASSERT_EQ(std::ssize(drawn), kSamples);
  std::map<std::pair<std::vector<int32_t>, bool>, int64_t> counts;
  for (const Hypothesis& h : drawn) ++counts[{h.tokens, h.ended}];
  for (const Hypothesis& h : Oracle{PrefixModel(4, 5), request}.all()) {
    const double p = std::exp(h.log_probability);
    const auto count = static_cast<double>(counts[{h.tokens, h.ended}]);
    EXPECT_NEAR(count, kSamples * p, 5 * std::sqrt(kSamples * p * (1 - p)) + 1);
  }
}

TEST(SamplingSearch, IsTheSameForTheSameSeedAloneOrNot) {
  const auto requests_of = [](uint64_t seed) {
    std::vector<Request> out = {drawing(3, seed, 9), drawing(3, seed, 4), drawing(3, seed, 12)};
    for (int32_t r = 0; r < 3; ++r) {
      out[static_cast<size_t>(r)].source = {r};
      out[static_cast<size_t>(r)].sampling->stream = static_cast<uint64_t>(5 + r);
    }
    return out;
  };
  PrefixModel model(9, 1);
  const auto together = search(model, requests_of(8));
  const test::KeptThreads kept;
  for (const int threads : {1, 2}) {
    set_threads(threads);
    for (size_t r = 0; r < 3; ++r) {
      PrefixModel alone(9, 1);
      const auto found = search(alone, {requests_of(8)[r]})[0];
      for (size_t i = 0; i < 3; ++i) EXPECT_EQ(found[i].tokens, together[r][i].tokens);
    }
  }
  PrefixModel again(9, 1);
  EXPECT_NE(search(again, requests_of(9))[0][0].tokens, together[0][0].tokens);
}

TEST(SamplingSearch, AtNoTemperatureTakesTheMostProbableToken) {
  Request request = drawing(1, 1, 10);
  request.sampling->chain = {Temperature{0.01}};
  for (uint64_t seed = 0; seed < 10; ++seed) {
    PrefixModel model(30, seed);
    EXPECT_EQ(search(model, {request})[0][0].tokens, (Oracle{model, request}.greedy().tokens));
  }
}

}  // namespace
}  // namespace weft::decode
