#include "weft/decode/search/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/decode/prefix_model.h"
#include "tests/support/errors.h"
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

TEST(Sampler, DrawsFromTokensWithinDeviationsOfTheLargestLogit) {
  double mean = 0, variance = 0;
  for (const float x : kLogits) mean += x / 7.0;
  for (const float x : kLogits) variance += (x - mean) * (x - mean) / 7.0;
  for (const double n : {0.2, 0.5, 1.0, 1.5, 3.0}) {
    std::vector<bool> is_kept;
    for (const float x : kLogits) is_kept.push_back(x >= 3 - n * std::sqrt(variance));
    expect_shares({.chain = {TopNSigma{n}}}, expected_shares(is_kept, 1));
  }
  // Those that are not left any more do not count: 3 and 2.5 have a deviation of 0.25.
  expect_shares({.chain = {TopK{2}, TopNSigma{1.9}}},
                expected_shares({false, false, true, false, false, false, false}, 1));
}

// Tokens by the distance of -log p from the entropy, until they have more than `p` of the mass.
std::vector<bool> typical_tokens(double p) {
  const std::vector<double> log_p = log_softmax(kLogits);
  double entropy = 0;
  for (const double x : log_p) entropy -= std::exp(x) * x;
  std::vector<std::pair<double, size_t>> order;
  for (size_t v = 0; v < log_p.size(); ++v) order.emplace_back(std::abs(-log_p[v] - entropy), v);
  std::ranges::sort(order);
  std::vector<bool> out(log_p.size());
  double mass = 0;
  for (size_t i = 0; i < order.size() && mass <= p; ++i) {
    out[order[i].second] = true;
    mass += std::exp(log_p[order[i].second]);
  }
  return out;
}

TEST(Sampler, DrawsFromTypicalTokens) {
  EXPECT_EQ(typical_tokens(0.3),
            (std::vector<bool>{false, false, false, false, true, false, true}));
  for (const double p : {0.1, 0.3, 0.5, 0.8, 0.95}) {
    expect_shares({.chain = {Typical{p}}}, expected_shares(typical_tokens(p), 1));
  }
}

TEST(Sampler, LeavesOutTheMostProbableTokensAtTimes) {
  // Shares 0.42, 0.26 and 0.16 of tokens 2, 4 and 6, then 0.06 and less.
  const std::vector<double> all = expected_shares(std::vector<bool>(7, true), 1);
  const std::vector<double> without =
      expected_shares({true, true, false, true, false, true, true}, 1);
  expect_shares({.chain = {Xtc{1, 0.1}}}, without);
  expect_shares({.chain = {Xtc{1, 0.3}}}, all);
  std::vector<double> mixed;
  for (size_t v = 0; v < all.size(); ++v) mixed.push_back(0.7 * all[v] + 0.3 * without[v]);
  expect_shares({.chain = {Xtc{0.3, 0.1}}}, mixed);
  // A temperature behind it is of the tokens that are left, however improbable they were.
  expect_shares({.chain = {Xtc{1, 1e-9}, Temperature{0.001}}}, {0, 1, 0, 0, 0, 0, 0});
}

TEST(Sampler, FindsTheBestOfManyTokensInTheirOrder) {
  RandomStream random(4, 4);
  std::vector<float> logits;
  for (int v = 0; v < 3000; ++v) logits.push_back(static_cast<float>(random.below(400)));
  logits[7] = kNever;
  for (const int64_t k : {1, 40, 256, 257, 3000}) {
    Candidates few, sorted;
    ASSERT_TRUE(few.reset(logits));
    ASSERT_TRUE(sorted.reset(logits));
    few.keep_best(k);
    sorted.sort_best();
    ASSERT_EQ(std::ssize(few.tokens()), std::min<int64_t>(k, 2999));
    for (size_t i = 0; i < few.tokens().size(); ++i) {
      EXPECT_EQ(few.tokens()[i].column, sorted.tokens()[i].column);
    }
  }
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
  EXPECT_THAT(
      names(sampling_options("--sampling temperature --min-p 0.05 --temperature 0.7 "
                             "--top-p 0.9 --top-k 40 --xtc-probability 0.1 --typical-p "
                             "0.9 --top-n-sigma 2")
                .chain()),
      ElementsAre("top_n_sigma", "top_k", "typical_p", "top_p", "min_p", "xtc", "temperature"));
}

TEST(SamplingOptions, RefuseAThresholdThatNothingReads) {
  const SamplingOptions options = sampling_options("--sampling temperature --xtc-threshold 0.2");
  EXPECT_THAT(test::message_of<OptionError>([&] { options.validate(); }),
              testing::StartsWith("--xtc-threshold: is not read without --xtc-probability"));
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
