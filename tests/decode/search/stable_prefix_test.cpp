// The tokens of a result that are known before it is finished.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/decode/prefix_model.h"
#include "weft/decode/search/search.h"

namespace weft::decode {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Request streamed_request(int64_t size, int64_t limit, int32_t source = 0) {
  return {.source = {source},
          .beam = {.size = size, .penalty = {PowerPenalty{1}}},
          .length_limit = limit};
}

// The stable prefix at each step of a single request.
std::vector<Prefix> stable_prefixes_of(int64_t vocabulary, const FunctionModel::Scores& scores,
                                       const Request& request) {
  std::vector<Prefix> out;
  search_by(vocabulary, scores, {request}, {},
            [&](const StablePrefix& d) { out.emplace_back(d.tokens.begin(), d.tokens.end()); });
  return out;
}

TEST(Search, DecidesWhatItsResultBeginsWith) {
  const std::vector<int64_t> limits = {9, 12, 3, 7};
  int64_t early = 0;
  for (const int64_t size : {1, 2, 4}) {
    for (uint64_t seed = 0; seed < 12; ++seed) {
      SCOPED_TRACE(fmt::format("size {}, seed {}", size, seed));
      std::vector<Request> requests;
      for (const int64_t limit : limits) {
        requests.push_back(streamed_request(size, limit, static_cast<int32_t>(requests.size())));
      }
      std::vector<std::vector<Prefix>> stable(limits.size());
      std::vector<int> finished(limits.size());
      PrefixModel model(8, seed), silent(8, seed);
      const std::vector<NBest> found = search(model, requests, {}, [&](const StablePrefix& d) {
        stable[d.request].emplace_back(d.tokens.begin(), d.tokens.end());
        finished[d.request] += d.is_finished ? 1 : 0;
      });
      const std::vector<NBest> expected = search(silent, requests);
      for (size_t s = 0; s < limits.size(); ++s) {
        const Prefix& whole = found[s][0].tokens;
        EXPECT_EQ(whole, expected[s][0].tokens);
        EXPECT_EQ(finished[s], 1);
        EXPECT_EQ(stable[s].back(), whole);
        for (const Prefix& part : stable[s]) {
          ASSERT_LE(part.size(), whole.size());
          EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin()));
          early += size > 1 && !part.empty() && part.size() < whole.size() ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(early, 20);
}

TEST(Search, DecidesEachTokenAtOnceWhereItsBeamIsOne) {
  const auto model = [](const Step& step) {
    Tensor logits = Tensor::zeros({std::ssize(step.ids), 5});
    logits.data<float>()[3 + step.ids[0] % 2] = 9;
    return logits;
  };
  EXPECT_THAT(stable_prefixes_of(5, model, streamed_request(1, 3)),
              ElementsAre(ElementsAre(3), ElementsAre(3, 4), ElementsAre(3, 4, 3)));
}

// Two hypotheses differ in their first token, until one of them has left the beam.
TEST(Search, DecidesWhatAllHypothesesThatCanWinBeginWith) {
  int64_t steps = 0;
  const auto model = [&](const Step& step) {
    Tensor logits = Tensor::full({std::ssize(step.ids), 6}, -20);
    ++steps;
    for (int64_t w = 0; w < std::ssize(step.ids); ++w) {
      float* row = logits.data<float>() + w * 6;
      if (steps == 1) row[3] = 1, row[4] = 0;
      if (steps == 2 && step.ids[w] == 3) row[5] = 2, row[4] = 1.9f;
      if (steps == 2 && step.ids[w] == 4) row[0] = row[2] = row[3] = row[4] = row[5] = 0;
      if (steps > 2) row[step.ids[w] == 5 ? 3 : 1] = 9;
    }
    return logits;
  };
  EXPECT_THAT(stable_prefixes_of(6, model, streamed_request(2, 3)),
              ElementsAre(IsEmpty(), ElementsAre(3), testing::_));
}

// The first hypothesis ends with 0.441, another goes on from it with 0.459 and one from 4 with
// 0.05.
TEST(Search, DecidesWithoutRegardToHypothesesThatCannotWin) {
  int64_t steps = 0;
  const auto model = [&](const Step& step) {
    Tensor logits = Tensor::full({std::ssize(step.ids), 6}, -30);
    ++steps;
    for (int64_t w = 0; w < std::ssize(step.ids); ++w) {
      float* row = logits.data<float>() + w * 6;
      if (steps == 1) row[3] = std::log(0.9f), row[4] = std::log(0.05f), row[0] = std::log(0.05f);
      if (steps == 2) row[1] = std::log(step.ids[w] == 3 ? 0.49f : 1e-9f), row[5] = std::log(0.51f);
      if (steps > 2) row[5] = 0;
    }
    return logits;
  };
  Request request = streamed_request(3, 4);
  request.beam.penalty = {NoPenalty{}};
  const std::vector<Prefix> stable = stable_prefixes_of(6, model, request);
  ASSERT_GE(stable.size(), 2u);
  EXPECT_THAT(stable[0], IsEmpty());
  EXPECT_THAT(stable[1], ElementsAre(3));
}

}  // namespace
}  // namespace weft::decode
