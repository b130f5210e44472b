#include "weft/decode/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/decode/prefix_model.h"
#include "tests/support/kept_threads.h"

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
  Sampler sampler(sampling);
  const std::vector<Draws> draws = {{.stream = 9, .count = kDraws}};
  sampler.find(Tensor::from(kLogits, {1, std::ssize(kLogits)}), draws);
  ASSERT_EQ(std::ssize(sampler.row(0)), kDraws);
  std::vector<double> counts(kLogits.size());
  const std::vector<double> log_p = log_softmax(kLogits);
  for (const ScoredToken& t : sampler.row(0)) {
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
  expect_shares({.from = AllTokens{}}, expected_shares(all, 1));
  expect_shares({.from = AllTokens{}, .temperature = 2.5}, expected_shares(all, 2.5));
  expect_shares({.from = AllTokens{}, .temperature = 0.4}, expected_shares(all, 0.4));
}

TEST(Sampler, DrawsFromTheMostProbable) {
  expect_shares({.from = BestTokens{3}},
                expected_shares({false, false, true, false, true, false, true}, 1));
  expect_shares({.from = BestTokens{1}},
                expected_shares({false, false, true, false, false, false, false}, 1));
  expect_shares({.from = BestTokens{100}}, expected_shares(std::vector<bool>(7, true), 1));
}

TEST(Sampler, DrawsFromTheNucleus) {
  // Shares 0.42, 0.26, 0.16 of tokens 2, 4 and 6: half takes two of them, 0.8 three.
  expect_shares({.from = Nucleus{0.5}},
                expected_shares({false, false, true, false, true, false, false}, 1));
  expect_shares({.from = Nucleus{0.8}},
                expected_shares({false, false, true, false, true, false, true}, 1));
  expect_shares({.from = Nucleus{0}},
                expected_shares({false, false, true, false, false, false, false}, 1));
  expect_shares({.from = Nucleus{1}}, expected_shares(std::vector<bool>(7, true), 1));
}

TEST(Sampler, NeverDrawsWhatIsForbidden) {
  Sampler sampler({.from = BestTokens{2}});
  const std::vector<Draws> draws = {{1, 200}, {2, 200}};
  std::vector<float> logits = kLogits;
  logits.insert(logits.end(), kLogits.begin(), kLogits.end());
  sampler.find(Tensor::from(logits, {2, 7}), draws, [](int64_t w, TokenScores& scores) {
    for (int32_t v = 0; v < 7; ++v) {
      if (w == 1 || v == 2) scores.forbid(v);
    }
  });
  for (const ScoredToken& t : sampler.row(0)) EXPECT_TRUE(t.token == 4 || t.token == 6);
  EXPECT_TRUE(sampler.row(1).empty());
}

SearchOptions drawing(int64_t size, uint64_t seed) {
  SearchOptions out;
  out.beam = {.size = size, .kept = size, .penalty = {NoPenalty{}}, .end_id = 1};
  out.begin_id = 2;
  out.sampling = Sampling{.from = AllTokens{}, .temperature = 1, .seed = seed};
  return out;
}

// Sentences come out as often as the model says, whole ones.
TEST(SamplingSearch, DrawsSentencesByTheirProbability) {
  constexpr int64_t kSamples = 20000;
  const SearchOptions options = drawing(kSamples, 3);
  PrefixModel model(4, 5);
  const NBest drawn = search(std::ref(model), std::vector<int64_t>{3}, options)[0];
  ASSERT_EQ(std::ssize(drawn), kSamples);
  std::map<std::pair<std::vector<int32_t>, bool>, int64_t> counts;
  for (const Hypothesis& h : drawn) ++counts[{h.tokens, h.ended}];
  for (const Hypothesis& h : Oracle{PrefixModel(4, 5), options, 3}.all(0)) {
    const double p = std::exp(h.log_probability);
    const auto count = static_cast<double>(counts[{h.tokens, h.ended}]);
    EXPECT_NEAR(count, kSamples * p, 5 * std::sqrt(kSamples * p * (1 - p)) + 1);
  }
}

TEST(SamplingSearch, IsTheSameForTheSameSeedAloneOrNot) {
  const std::vector<int64_t> limits = {9, 4, 12};
  const std::vector<SentenceRules> rules = {{.stream = 5}, {.stream = 6}, {.stream = 7}};
  PrefixModel model(9, 1);
  const auto together = search(std::ref(model), limits, drawing(3, 8), rules);
  const test::KeptThreads kept;
  for (const int threads : {1, 2}) {
    set_threads(threads);
    for (int32_t s = 0; s < 3; ++s) {
      PrefixModel alone(9, 1, s);
      const auto at = static_cast<size_t>(s);
      const auto found = search(std::ref(alone), std::vector{limits[at]}, drawing(3, 8),
                                std::span(rules).subspan(at, 1))[0];
      for (size_t i = 0; i < 3; ++i) EXPECT_EQ(found[i].tokens, together[at][i].tokens);
    }
  }
  PrefixModel again(9, 1);
  const auto other = search(std::ref(again), limits, drawing(3, 9), rules);
  EXPECT_NE(other[0][0].tokens, together[0][0].tokens);
}

TEST(SamplingSearch, AtNoTemperatureTakesTheMostProbableToken) {
  SearchOptions options = drawing(1, 1);
  options.sampling->temperature = 0.01;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    PrefixModel model(30, seed);
    EXPECT_EQ(search(std::ref(model), std::vector<int64_t>{10}, options)[0][0].tokens,
              (Oracle{PrefixModel(30, seed), options, 10}.greedy(0).tokens));
  }
}

}  // namespace
}  // namespace weft::decode
