#include "weft/decode/search/search.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/decode/prefix_model.h"
#include "weft/core/error.h"

namespace weft::decode {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Not;

const std::vector<LengthPenalty>& penalties() {
  static const std::vector<LengthPenalty> list = {{NoPenalty{}},     {PowerPenalty{0.6}},
                                                  {PowerPenalty{1}}, {PowerPenalty{2}},
                                                  {WuPenalty{0.6}},  {WuPenalty{1}}};
  return list;
}

Request request_for(const LengthPenalty& penalty, int64_t size, int64_t n_best, int64_t limit) {
  return {.source = {0},
          .beam = {.size = size, .n_best = n_best, .penalty = penalty},
          .length_limit = limit};
}

NBest search_one(int64_t vocabulary, uint64_t seed, const Request& request) {
  PrefixModel model(vocabulary, seed);
  return search(model, {request})[0];
}

// One request with each limit, of the sources 0, 1, ...
std::vector<Request> with_limits(const Request& request, const std::vector<int64_t>& limits) {
  std::vector<Request> out;
  for (const int64_t limit : limits) {
    out.push_back(request);
    out.back().source = {static_cast<int32_t>(out.size()) - 1};
    out.back().length_limit = limit;
  }
  return out;
}

void expect_same(const NBest& got, const NBest& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(got[i].tokens, expected[i].tokens);
    EXPECT_EQ(got[i].ended, expected[i].ended);
    EXPECT_NEAR(got[i].log_probability, expected[i].log_probability, 1e-5);
    EXPECT_NEAR(got[i].score, expected[i].score, 1e-5);
  }
}

TEST(Search, FindsWhatExhaustiveSearchFindsWhenTheBeamIsWideEnough) {
  for (const LengthPenalty& penalty : penalties()) {
    for (const int64_t vocabulary : {4, 5}) {
      for (uint64_t seed = 0; seed < 5; ++seed) {
        SCOPED_TRACE(fmt::format("penalty {}, vocabulary {}, seed {}", penalty.kind.index(),
                                 vocabulary, seed));
        const Request request = request_for(penalty, 2000, 40, 4);
        NBest expected = Oracle{PrefixModel(vocabulary, seed), request}.all();
        expected.resize(40);
        expect_same(search_one(vocabulary, seed, request), expected);
      }
    }
  }
}

TEST(Search, OfWidthOneTakesTheMostProbableTokenAtEachStep) {
  for (const LengthPenalty& penalty : penalties()) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const Request request = request_for(penalty, 1, 1, 12);
      const Hypothesis expected = Oracle{PrefixModel(40, seed), request}.greedy();
      expect_same(search_one(40, seed, request), {expected});
    }
  }
}

TEST(Search, IsNotChangedByStoppingEarly) {
  int64_t rows = 0, rows_to_the_end = 0;
  for (const LengthPenalty& penalty : penalties()) {
    for (const int64_t size : {1, 2, 3, 6}) {
      for (const int64_t n_best : {int64_t{1}, size}) {
        for (uint64_t seed = 0; seed < 10; ++seed) {
          Request request = request_for(penalty, size, n_best, 15);
          PrefixModel model(6, seed), to_the_end(6, seed);
          const NBest got = search(model, {request})[0];
          request.beam.early_exit = false;
          const NBest all = search(to_the_end, {request})[0];
          expect_same(got, all);
          rows += model.rows;
          rows_to_the_end += to_the_end.rows;
        }
      }
    }
  }
  EXPECT_LT(rows, rows_to_the_end);
}

TEST(Search, StopsWhenNothingLeftCanBeatWhatHasEnded) {
  // The end at once has 0.6 of the mass, more than all the rest has together.
  int64_t steps = 0;
  const auto model = [&](const Step& step) {
    ++steps;
    Tensor logits = Tensor::zeros({std::ssize(step.ids), 4});
    for (int64_t w = 0; w < logits.rows(); ++w) logits.data<float>()[w * 4 + 1] = 1.5f;
    return logits;
  };
  const auto found = search_by(4, model, {request_for({NoPenalty{}}, 4, 1, 50)});
  EXPECT_EQ(steps, 1);
  EXPECT_TRUE(found[0][0].tokens.empty());
}

TEST(Search, OfASentenceDoesNotDependOnTheOthers) {
  const std::vector<int64_t> limits = {7, 1, 12, 3, 9};
  for (const LengthPenalty& penalty : penalties()) {
    const std::vector<Request> requests = with_limits(request_for(penalty, 4, 4, 1), limits);
    PrefixModel together(9, 3);
    const std::vector<NBest> found = search(together, requests);
    for (size_t s = 0; s < limits.size(); ++s) {
      const NBest expected = search_one(9, 3, requests[s]);
      ASSERT_EQ(found[s].size(), expected.size());
      for (size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(found[s][i].tokens, expected[i].tokens);
        EXPECT_EQ(found[s][i].log_probability, expected[i].log_probability);
      }
    }
  }
}

TEST(Search, OfASentenceDoesNotDependOnTheNumberOfSlots) {
  struct Watched : PrefixModel {
    using PrefixModel::PrefixModel;
    Tensor step(const Step& step) override {
      const auto active = std::ranges::count_if(step.counts, [](auto n) { return n > 0; });
      most = std::max<int64_t>(most, active);
      return PrefixModel::step(step);
    }
    int64_t most = 0;
  };
  const std::vector<Request> requests =
      with_limits(request_for({PowerPenalty{1}}, 3, 3, 1), {7, 1, 12, 3, 9, 2, 2, 8, 5, 11});
  PrefixModel all_at_once(9, 3);
  const std::vector<NBest> expected = search(all_at_once, requests);
  for (const int64_t slots : {1, 2, 4, 7, 50}) {
    SCOPED_TRACE(slots);
    Watched model(9, 3);
    const std::vector<NBest> found = search(model, requests, {.slots = slots});
    EXPECT_EQ(model.most, std::min<int64_t>(slots, 10));
    for (size_t s = 0; s < requests.size(); ++s) expect_same(found[s], expected[s]);
  }
}

TEST(Search, HasARowForEachLiveHypothesis) {
  std::vector<std::vector<int32_t>> counts;
  const auto model = [&](const Step& step) {
    counts.emplace_back(step.counts.begin(), step.counts.end());
    // Never the end, but for the second sentence's third token.
    Tensor logits = Tensor::zeros({std::ssize(step.ids), 6});
    for (int64_t w = 0; w < logits.rows(); ++w) {
      const bool ends = counts.size() == 3 && w >= step.counts[0];
      logits.data<float>()[w * 6 + 1] = ends ? 50.f : -50.f;
    }
    return logits;
  };
  search_by(6, model, with_limits(request_for({NoPenalty{}}, 3, 3, 1), {5, 5}));
  EXPECT_THAT(counts, ElementsAre(ElementsAre(1, 1), ElementsAre(3, 3), ElementsAre(3, 3),
                                  ElementsAre(3, 0), ElementsAre(3, 0)));
}

TEST(Search, ReturnsWhatIsAliveAtTheLimitAsItIs) {
  const auto model = [](const Step& step) {
    Tensor logits = Tensor::zeros({std::ssize(step.ids), 4});
    for (int64_t w = 0; w < logits.rows(); ++w) logits.data<float>()[w * 4 + 3] = 9;
    return logits;
  };
  const NBest found = search_by(4, model, {request_for({PowerPenalty{1}}, 1, 1, 3)})[0];
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].ended);
  EXPECT_THAT(found[0].tokens, ElementsAre(3, 3, 3));
  EXPECT_NEAR(found[0].score, found[0].log_probability / 3, 1e-12);
}

TEST(Search, ReturnsWhatIsAliveWhereNothingMayFollow) {
  const auto model = [](const Step& step) { return Tensor::zeros({std::ssize(step.ids), 4}); };
  std::vector<Request> requests(2, request_for({PowerPenalty{1}}, 3, 3, 5));
  for (Request& request : requests) request.forbidden = {0, 1, 2, 3};
  requests[1].prefix = {2, 3};
  const std::vector<NBest> found = search_by(4, model, requests);
  const std::vector<int32_t> expected[] = {{}, {2, 3}};
  for (size_t s = 0; s < 2; ++s) {
    ASSERT_EQ(found[s].size(), 1u);
    EXPECT_FALSE(found[s][0].ended);
    EXPECT_EQ(found[s][0].tokens, expected[s]);
    EXPECT_TRUE(std::isfinite(found[s][0].score));
  }
}

TEST(Search, NeverTakesAForbiddenTokenNorChangesTheOthersScores) {
  Request request = request_for({NoPenalty{}}, 500, 500, 3);
  request.forbidden = {0, 3};
  const NBest found = search_one(5, 1, request);
  EXPECT_EQ(found.size(), 15u);  // 1 + 2 + 4 that end, and 8 cut off at length 3
  const NBest all = Oracle{PrefixModel(5, 1), request}.all();
  for (const Hypothesis& h : found) {
    EXPECT_THAT(h.tokens, Each(Not(testing::AnyOf(0, 3))));
    const auto same = std::find_if(all.begin(), all.end(), [&](const Hypothesis& other) {
      return other.tokens == h.tokens && other.ended == h.ended;
    });
    ASSERT_NE(same, all.end());
    EXPECT_NEAR(h.log_probability, same->log_probability, 1e-5);
  }
}

TEST(Search, PrefersTheLowerTokenAmongEquals) {
  const auto model = [](const Step& step) { return Tensor::zeros({std::ssize(step.ids), 5}); };
  Request request = request_for({NoPenalty{}}, 3, 3, 2);
  request.forbidden = {1};
  const NBest found = search_by(5, model, {request})[0];
  ASSERT_EQ(found.size(), 3u);
  EXPECT_THAT(found[0].tokens, ElementsAre(0, 0));
  EXPECT_THAT(found[1].tokens, ElementsAre(0, 2));
  EXPECT_THAT(found[2].tokens, ElementsAre(0, 3));
}

TEST(Search, HasNoTokensWhereScoresAreNotFinite) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const auto model = [&](const Step& step) {
      Tensor logits = Tensor::zeros({std::ssize(step.ids), 5});
      logits.data<float>()[2] = static_cast<float>(bad);
      return logits;
    };
    const auto found = search_by(5, model, {request_for({NoPenalty{}}, 2, 1, 4)});
    ASSERT_EQ(found[0].size(), 1u);
    EXPECT_FALSE(found[0][0].is_finite);
    EXPECT_TRUE(found[0][0].tokens.empty());
  }
}

TEST(Search, ReturnsWhatEachTokenAddsToTheLogProbability) {
  const PrefixModel model(6, 2);
  for (const int64_t size : {1, 4}) {
    for (const Hypothesis& h : search_one(6, 2, request_for({PowerPenalty{1}}, size, size, 5))) {
      std::vector<int32_t> tokens = h.tokens;
      if (h.ended) tokens.push_back(1);
      ASSERT_EQ(h.token_scores.size(), tokens.size());
      Prefix prefix = {0, 2};
      double sum = 0;
      for (size_t t = 0; t < tokens.size(); ++t) {
        const double expected = log_softmax(model.logits(prefix))[static_cast<size_t>(tokens[t])];
        EXPECT_NEAR(h.token_scores[t], expected, 1e-5);
        sum += h.token_scores[t];
        prefix.push_back(tokens[t]);
      }
      EXPECT_EQ(sum, h.log_probability);
    }
  }
}

TEST(Search, OfNoSentencesFindsNothing) {
  PrefixModel model(5, 0);
  EXPECT_TRUE(search(model, {}).empty());
  EXPECT_EQ(model.steps, 0);
}

}  // namespace
}  // namespace weft::decode
