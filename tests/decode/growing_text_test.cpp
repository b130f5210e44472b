#include "weft/decode/growing_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/decode/prefix_model.h"
#include "tests/decode/small_session.h"
#include "weft/decode/translate.h"

namespace weft::decode {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Told = std::vector<std::string>;

// Token 0 is a space, any other a letter.
std::string letters(std::span<const int32_t> tokens) {
  std::string out;
  for (const int32_t id : tokens) out += id == 0 ? ' ' : static_cast<char>('a' + id - 1);
  return out;
}

struct Line {
  Told told;
  GrowingText text;
  explicit Line(size_t pieces)
      : text(pieces, letters, [this](std::string_view more) { told.emplace_back(more); }) {}
  void decide(size_t piece, const std::vector<int32_t>& tokens, bool is_over = false) {
    text.decide(piece, tokens, is_over);
  }
};

TEST(GrowingText, TellsAWordOnceTheNextBegins) {
  Line line(1);
  line.decide(0, {1});
  line.decide(0, {1, 2});
  EXPECT_THAT(line.told, IsEmpty());
  line.decide(0, {1, 2, 0});
  EXPECT_THAT(line.told, ElementsAre("ab"));
  line.decide(0, {1, 2, 0, 3, 0, 4});
  line.decide(0, {1, 2, 0, 3, 0, 4, 5});
  EXPECT_THAT(line.told, ElementsAre("ab", " c"));
  line.text.finish("ab c de ||| 0-0");
  EXPECT_THAT(line.told, ElementsAre("ab", " c", " de ||| 0-0"));
}

TEST(GrowingText, TellsPiecesInTheirOrder) {
  Line line(3);
  line.decide(1, {3, 0, 4}, true);
  line.decide(0, {1, 0, 2});
  EXPECT_THAT(line.told, ElementsAre("a"));
  line.decide(0, {1, 0, 2}, true);
  EXPECT_THAT(line.told, ElementsAre("a", " b c"));
  line.decide(2, {5, 0, 6}, true);
  line.text.finish("a b c d e f");
  EXPECT_THAT(line.told, ElementsAre("a", " b c", " d e", " f"));
}

TEST(GrowingText, OfNothingIsNothing) {
  Line line(0);
  line.text.finish("");
  EXPECT_THAT(line.told, ElementsAre(""));
}

SearchOptions options_for(int64_t size) {
  SearchOptions out;
  out.beam = {.size = size, .kept = 1, .penalty = {PowerPenalty{1}}, .end_id = 1};
  out.begin_id = 2;
  return out;
}

TEST(Search, DecidesWhatItsResultBeginsWith) {
  const std::vector<int64_t> limits = {9, 12, 3, 7};
  int64_t early = 0;
  for (const int64_t size : {1, 2, 4}) {
    for (uint64_t seed = 0; seed < 12; ++seed) {
      SCOPED_TRACE(fmt::format("size {}, seed {}", size, seed));
      std::vector<std::vector<Prefix>> told(limits.size());
      std::vector<int> over(limits.size());
      SearchOptions options = options_for(size);
      options.on_decided = [&](const Decided& d) {
        told[d.sentence].emplace_back(d.tokens.begin(), d.tokens.end());
        over[d.sentence] += d.is_over ? 1 : 0;
      };
      PrefixModel model(8, seed), silent(8, seed);
      const std::vector<NBest> found = search(std::ref(model), limits, options);
      options.on_decided = {};
      const std::vector<NBest> expected = search(std::ref(silent), limits, options);
      for (size_t s = 0; s < limits.size(); ++s) {
        const Prefix& whole = found[s][0].tokens;
        EXPECT_EQ(whole, expected[s][0].tokens);
        EXPECT_EQ(over[s], 1);
        EXPECT_EQ(told[s].back(), whole);
        for (const Prefix& part : told[s]) {
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
  std::vector<Prefix> told;
  SearchOptions options = options_for(1);
  options.on_decided = [&](const Decided& d) {
    told.emplace_back(d.tokens.begin(), d.tokens.end());
  };
  search(model, std::vector<int64_t>{3}, options);
  EXPECT_THAT(told, ElementsAre(ElementsAre(3), ElementsAre(3, 4), ElementsAre(3, 4, 3)));
}

// Two hypotheses differ in their first token, until one of them has lost its place.
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
  std::vector<Prefix> told;
  SearchOptions options = options_for(2);
  options.on_decided = [&](const Decided& d) {
    told.emplace_back(d.tokens.begin(), d.tokens.end());
  };
  search(model, std::vector<int64_t>{3}, options);
  EXPECT_THAT(told, ElementsAre(IsEmpty(), ElementsAre(3), testing::_));
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
  std::vector<Prefix> told;
  SearchOptions options = options_for(3);
  options.beam.penalty = {NoPenalty{}};
  options.on_decided = [&](const Decided& d) {
    told.emplace_back(d.tokens.begin(), d.tokens.end());
  };
  search(model, std::vector<int64_t>{4}, options);
  ASSERT_GE(told.size(), 2u);
  EXPECT_THAT(told[0], IsEmpty());
  EXPECT_THAT(told[1], ElementsAre(3));
}

class StreamTest : public testing::Test {
 protected:
  void expect_the_same(const DecodeOptions& options, const Told& lines) {
    Translator translator(session, options), silent(session, options);
    size_t parts = 0;
    for (const std::string& line : lines) {
      std::string told;
      const std::vector<SourceLine> one = {{line}};
      const Told out = translator.translate(one, [&](std::string_view more) {
        parts += more.empty() ? 0 : 1;
        told += more;
      });
      EXPECT_EQ(told, silent.translate(one)[0]);
      EXPECT_EQ(told, out[0]);
    }
    EXPECT_GT(parts, lines.size());
    EXPECT_EQ(translator.report().text(), silent.report().text());
  }

  model_file::Session session = small_session(small_options(), ".\n");
};

TEST_F(StreamTest, EndsWithTheTextOfTheWholeLine) {
  const Told lines = random_lines(6);
  expect_the_same({.beam_size = 1, .min_length = 6}, lines);
  expect_the_same({.beam_size = 4, .normalize = 1, .min_length = 6}, lines);
  expect_the_same({.min_length = 6, .sampling = {.kind = FromTopK{}}}, lines);
  expect_the_same({.beam_size = 1, .alignment = {.kind = HardAlignment{}}, .min_length = 6}, lines);
}

TEST_F(StreamTest, JoinsThePiecesOfALongLine) {
  const Told lines = {"w1 w2 w3 . w4 w5 w6 . w7 .", "w1", "w8 w9 . w3 w2 w1 ."};
  expect_the_same({.beam_size = 2, .min_length = 4, .max_length = 4}, lines);
  expect_the_same({.beam_size = 2, .min_length = 4, .max_length = 4, .mini_batch = 1}, lines);
}

}  // namespace
}  // namespace weft::decode
