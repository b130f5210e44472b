#include "weft/data/subwords/bpe_trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::data {
namespace {

using testing::ElementsAre;

std::vector<std::string> pieces_of(const SubwordTokeniserPtr& tokeniser, std::string_view text) {
  return pieces(*tokeniser, tokeniser->encode(text));
}

SubwordTokeniserPtr trained(std::string_view text, const BpeTraining& params) {
  BpeTrainer trainer;
  trainer.add(text);
  return trainer.train(params);
}

// Counted by hand: es 9, est 9; then a space before l 7, the lowest ids of the pairs that occur as
// often; ow 7, and both together 7 (the words of Sennrich et al. 2016, figure 1).
TEST(BpeTrainer, MergesTheMostFrequentPairFirst) {
  std::string text;
  const auto add = [&](const char* word, int count) {
    for (int i = 0; i < count; ++i) text += word;
  };
  add(" low", 5);
  add(" lower", 2);
  add(" newest", 6);
  add(" widest", 3);
  const auto tokeniser = trained(text, {.size = kBpeBaseSize + 5});
  std::vector<std::string> merged;
  for (int32_t id = kBpeBaseSize; id < tokeniser->size(); ++id) {
    merged.emplace_back(tokeniser->piece(id));
  }
  EXPECT_THAT(merged, ElementsAre("es", "est", "\u0120l", "ow", "\u0120low"));
  EXPECT_THAT(pieces_of(tokeniser, " lowest"), ElementsAre("\u0120low", "est"));
}

TEST(BpeTrainer, StopsWherePairsAreRare) {
  EXPECT_EQ(trained("ab ab cd", {.size = 1000, .min_count = 2})->size(), kBpeBaseSize + 1);
  EXPECT_EQ(trained("", {.size = 1000})->size(), kBpeBaseSize);
}

TEST(BpeTrainer, MergesOverlappingPairsFromTheLeft) {
  const auto tokeniser = trained("aaaaa", {.size = kBpeBaseSize + 2});
  EXPECT_EQ(tokeniser->piece(kBpeBaseSize), "aa");
  EXPECT_EQ(tokeniser->piece(kBpeBaseSize + 1), "aaa");
  EXPECT_THAT(pieces_of(tokeniser, "aaaaa"), ElementsAre("aa", "aaa"));
}

TEST(BpeTrainer, KeepsEveryByteOfText) {
  const auto tokeniser = trained("hello there", {.size = kBpeBaseSize + 5});
  for (const std::string text : {"hello\n\n\tthere ", "\xC3\xA9\xE2\x82\xAC", "</s><s>"}) {
    EXPECT_EQ(tokeniser->decode(tokeniser->encode(text)), text);
  }
  EXPECT_EQ(tokeniser->end_id(), 0);
  EXPECT_EQ(tokeniser->unknown_id(), 1);
  EXPECT_EQ(tokeniser->begin_id(), 2);
}

TEST(BpeTrainer, DependsOnTheTextAlone) {
  const auto once = trained("b a b a c", {.size = 300}),
             twice = trained("b a b a c", {.size = 300});
  EXPECT_EQ(once->serialise(), twice->serialise());
}

}  // namespace
}  // namespace weft::data
