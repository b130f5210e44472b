// Searches with phrases to hold against all sentences there are.
#include "weft/decode/search/constraints.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/decode/prefix_model.h"

namespace weft::decode {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

bool holds(const std::vector<int32_t>& tokens, const std::vector<Phrase>& phrases) {
  return std::ranges::all_of(phrases, [&](const Phrase& p) {
    return std::search(tokens.begin(), tokens.end(), p.begin(), p.end()) != tokens.end();
  });
}

Request constrained_request(int64_t size, int64_t n_best, int64_t limit,
                            Constraints constraints = {}) {
  return {.source = {0},
          .beam = {.size = size, .n_best = n_best, .penalty = {PowerPenalty{0.6}}},
          .length_limit = limit,
          .constraints = std::move(constraints)};
}

NBest search_one(PrefixModel model, const Request& request) { return search(model, {request})[0]; }

const std::vector<std::vector<Phrase>>& phrase_lists() {
  static const std::vector<std::vector<Phrase>> lists = {
      {{3}},
      {{0, 4}},
      {{3}, {0}},
      {{3, 3}},
      {{0, 4}, {4, 2}},           // that can overlap
      {{4, 0}, {4, 2}},           // with one beginning
      {{0, 0, 4}},                // that begins again
      {{3}, {3}, {0, 3}},         // one in another, and twice
      {{4, 0, 4}, {0}, {4, 4}}};  // of all kinds
  return lists;
}

TEST(Constraints, FindWhatExhaustiveSearchFindsAmongSentencesThatHoldThem) {
  constexpr int64_t kMostTokens = 5;
  for (const std::vector<Phrase>& phrases : phrase_lists()) {
    for (uint64_t seed = 0; seed < 3; ++seed) {
      SCOPED_TRACE(fmt::format("phrases {}, seed {}", phrases.size(), seed));
      const Request request = constrained_request(5000, 5000, kMostTokens, Constraints(phrases));
      const PrefixModel model(5, seed);
      NBest expected = Oracle{model, request}.all();
      std::erase_if(expected, [&](const auto& h) { return !holds(h.tokens, phrases); });
      ASSERT_GT(expected.size(), 0u);
      const NBest got = search_one(model, request);
      ASSERT_GE(got.size(), expected.size());
      for (size_t i = 0; i < got.size(); ++i) {
        SCOPED_TRACE(i);
        EXPECT_EQ(got[i].is_complete, i < expected.size());
        if (!got[i].is_complete) {
          EXPECT_FALSE(got[i].ended);
          EXPECT_FALSE(holds(got[i].tokens, phrases));
          continue;
        }
        EXPECT_EQ(got[i].tokens, expected[i].tokens);
        EXPECT_EQ(got[i].ended, expected[i].ended);
        EXPECT_NEAR(got[i].log_probability, expected[i].log_probability, 1e-5);
        EXPECT_NEAR(got[i].score, expected[i].score, 1e-5);
      }
    }
  }
}

// Lists of phrases over few tokens, so that they overlap and have beginnings in common.
std::vector<Phrase> random_phrases(RandomStream& random) {
  std::vector<Phrase> out(1 + random.below(4));
  for (Phrase& phrase : out) {
    phrase.resize(1 + random.below(4));
    for (int32_t& token : phrase) token = 3 + static_cast<int32_t>(random.below(3));
  }
  return out;
}

TEST(Constraints, AreHeldWhateverTheBeamAsSoonAsThereIsTimeToHoldThem) {
  RandomStream random(5, 5);
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const std::vector<Phrase> phrases = random_phrases(random);
    const Constraints constraints(phrases);
    for (const int64_t size : {1, 2, 3, 5}) {
      for (const int64_t limit : {constraints.tokens() + 1, constraints.tokens() + 6}) {
        SCOPED_TRACE(fmt::format("seed {}, beam {}, limit {}", seed, size, limit));
        const NBest got =
            search_one(PrefixModel(30, seed), constrained_request(size, size, limit, constraints));
        ASSERT_FALSE(got.empty());
        EXPECT_TRUE(got[0].is_complete);
        for (const Hypothesis& h : got) {
          EXPECT_EQ(h.is_complete, holds(h.tokens, phrases));
          EXPECT_TRUE(h.is_complete || !h.ended);
        }
      }
    }
  }
}

TEST(Constraints, AreNotAllHeldWhereTheLimitComesFirst) {
  const Constraints constraints({{3, 4, 5}, {6}});
  for (const int64_t size : {1, 4}) {
    const NBest got = search_one(PrefixModel(30, 1), constrained_request(size, 1, 3, constraints));
    ASSERT_EQ(got.size(), 1u);
    EXPECT_FALSE(got[0].is_complete);
    EXPECT_FALSE(got[0].ended);
  }
}

TEST(Constraints, DoNotChangeByStoppingEarly) {
  RandomStream random(6, 6);
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Request request = constrained_request(4, 1, 14, Constraints(random_phrases(random)));
    const NBest got = search_one(PrefixModel(9, seed), request);
    request.beam.early_exit = false;
    const NBest all = search_one(PrefixModel(9, seed), request);
    EXPECT_EQ(got.at(0).tokens, all.at(0).tokens);
  }
}

TEST(Constraints, AreThoseOfEachRequest) {
  const std::vector<Phrase> one = {{7}}, two = {{5, 6}};
  std::vector<Request> requests(3, constrained_request(3, 1, 9));
  for (int32_t r = 0; r < 3; ++r) requests[r].source = {r};
  PrefixModel model(30, 2);
  const auto free = search(model, requests);
  requests[0].constraints = Constraints(one);
  requests[2].constraints = Constraints(two);
  requests[2].prefix = {4};
  const auto found = search(model, requests);
  EXPECT_TRUE(holds(found[0][0].tokens, one));
  EXPECT_EQ(found[1][0].tokens, free[1][0].tokens);
  EXPECT_TRUE(holds(found[2][0].tokens, two));
  EXPECT_EQ(found[2][0].tokens[0], 4);
}

TEST(Constraints, CountTheTokensThatAreEnough) {
  const Constraints constraints({{3, 4, 3, 5}, {4}, {6}, {6}, {3, 7}});
  EXPECT_EQ(constraints.tokens(), 4 + 1 + 2);
  Constraints::Progress progress = constraints.start();
  EXPECT_THAT(constraints.wanted(progress), ElementsAre(3, 6, 3));
  const auto missing_after = [&](int32_t token) {
    progress = constraints.after(progress, token);
    return constraints.missing(progress);
  };
  EXPECT_EQ(missing_after(3), 6);
  EXPECT_EQ(missing_after(4), 5);
  EXPECT_EQ(missing_after(3), 4);
  EXPECT_THAT(constraints.wanted(progress), ElementsAre(5, 6, 7));
  EXPECT_EQ(missing_after(4), 5);  // of 3 4 3 4, the last two are a beginning
  EXPECT_EQ(missing_after(3), 4);
  EXPECT_EQ(missing_after(5), 3);
  EXPECT_EQ(missing_after(6), 2);
  EXPECT_EQ(missing_after(3), 1);
  EXPECT_EQ(missing_after(9), 2);
  EXPECT_EQ(missing_after(3), 1);
  EXPECT_EQ(missing_after(7), 0);
  EXPECT_EQ(missing_after(9), 0);
  EXPECT_THAT(constraints.wanted(progress), IsEmpty());
  EXPECT_EQ(Constraints().missing(Constraints().start()), 0);
}

}  // namespace
}  // namespace weft::decode
