// What ends a hypothesis: end symbols and stop strings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/decode/prefix_model.h"

namespace weft::decode {
namespace {

using testing::Each;
using testing::ElementsAre;

Request sampled(int64_t limit = 12) {
  return {.source = {0},
          .beam = {.size = 20, .n_best = 20},
          .length_limit = limit,
          .sampling = Sampling{}};
}

TEST(Ends, AreAnyOfTheEndSymbols) {
  PrefixModel model(6, 3);
  Request request = sampled();
  const NBest before = search(model, {request})[0];
  request.end_ids = {4, kModelEnd};
  const NBest found = search(model, {request})[0];
  ASSERT_EQ(found.size(), before.size());
  int64_t shorter = 0;
  for (const Hypothesis& h : found) {
    EXPECT_THAT(h.tokens, Each(testing::AllOf(testing::Ne(4), testing::Ne(kModelEnd))));
    EXPECT_EQ(h.token_scores.size(), h.tokens.size() + (h.ended ? 1 : 0));
    shorter += h.ended && std::ssize(h.tokens) < 11 ? 1 : 0;
  }
  EXPECT_GT(shorter, 10);
}

TEST(Ends, DoNotComeBeforeTheShortestLength) {
  PrefixModel model(6, 3);
  Request request = sampled();
  request.end_ids = {4, 5};
  request.min_length = 6;
  const NBest found = search(model, {request})[0];
  for (const Hypothesis& h : found) EXPECT_GE(std::ssize(h.tokens), 6);
}

// Tokens are letters: 0 is a.
std::string letters(std::span<const int32_t> tokens) {
  std::string out;
  for (const int32_t token : tokens) out += static_cast<char>('a' + token);
  return out;
}

TEST(StopStrings, BeginWhereTheFirstOfThemDoes) {
  const StopStrings stop{.strings = {"de", "cd"}, .detokenise = letters};
  EXPECT_EQ(stop.find(std::vector<int32_t>{0, 2, 3, 4}), 1);
  EXPECT_EQ(stop.find(std::vector<int32_t>{3, 4, 2}), 0);
  EXPECT_EQ(stop.find(std::vector<int32_t>{0, 2, 2}), std::nullopt);
  EXPECT_EQ(StopStrings().find(std::vector<int32_t>{0}), std::nullopt);
}

// Across tokens; no hypothesis goes on behind one.
TEST(StopStrings, EndAHypothesis) {
  PrefixModel model(6, 3);
  for (const bool is_sampled : {true, false}) {
    Request request = sampled();
    if (!is_sampled) request.sampling.reset();
    request.stop = {.strings = {"de", "cd", "f"}, .detokenise = letters};
    const NBest found = search(model, {request})[0];
    int64_t stopped = 0;
    for (const Hypothesis& h : found) {
      const std::string text = letters(h.tokens);
      const auto first = std::min({text.find("de"), text.find("cd"), text.find('f')});
      EXPECT_EQ(h.token_scores.size(), h.tokens.size() + (h.ended && !h.stopped_at ? 1 : 0));
      if (first == text.npos) {
        EXPECT_FALSE(h.stopped_at) << text;
        continue;
      }
      EXPECT_TRUE(h.ended);
      EXPECT_EQ(h.stopped_at, static_cast<int64_t>(first)) << text;
      EXPECT_EQ(text.size(), first + (text[first] == 'f' ? 1 : 2)) << text;
      ++stopped;
    }
    EXPECT_GT(stopped, 5);
  }
}

TEST(StopStrings, AreLookedForInThePrefixToo) {
  PrefixModel model(6, 3);
  Request request{.source = {0}, .beam = {.size = 1}, .length_limit = 9};
  request.prefix = {0, 3, 4, 2};
  request.stop = {.strings = {"de"}, .detokenise = letters};
  const Hypothesis found = search(model, {request})[0].at(0);
  EXPECT_THAT(found.tokens, ElementsAre(0, 3, 4));
  EXPECT_EQ(found.stopped_at, 1);
  EXPECT_TRUE(found.ended);
}

TEST(Prefix, MayEndTheTarget) {
  PrefixModel model(6, 3);
  Request request{.source = {0}, .beam = {.size = 2}, .length_limit = 9};
  request.prefix = {0, 3, kModelEnd, 2};
  const Hypothesis ended = search(model, {request})[0].at(0);
  EXPECT_THAT(ended.tokens, ElementsAre(0, 3));
  EXPECT_TRUE(ended.ended);
  request.prefix = {0, 3, 4, 2};
  request.length_limit = 4;
  const Hypothesis cut = search(model, {request})[0].at(0);
  EXPECT_THAT(cut.tokens, ElementsAre(0, 3, 4, 2));
  EXPECT_FALSE(cut.ended);
  EXPECT_EQ(model.steps, 0);
}

}  // namespace
}  // namespace weft::decode
