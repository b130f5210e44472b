#include "weft/predict/translation/incremental_detokeniser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/decode/small_session.h"
#include "tests/predict/predicted.h"
#include "weft/predict/translation/translator.h"

namespace weft::predict {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using decode::random_lines;
using decode::small_options;
using decode::small_session;

using Parts = std::vector<std::string>;

// Token 0 is a space, any other a letter.
std::string letters(std::span<const int32_t> tokens) {
  std::string out;
  for (const int32_t id : tokens) out += id == 0 ? ' ' : static_cast<char>('a' + id - 1);
  return out;
}

struct Streamed {
  Parts parts;
  IncrementalDetokeniser text;
  explicit Streamed(size_t pieces)
      : text(pieces, letters, [this](std::string_view more) { parts.emplace_back(more); }) {}
  void decide(size_t piece, const std::vector<int32_t>& tokens, bool is_finished = false) {
    text.decide(piece, tokens, is_finished);
  }
};

TEST(IncrementalDetokeniser, PassesOnAWordOnceTheNextBegins) {
  Streamed line(1);
  line.decide(0, {1});
  line.decide(0, {1, 2});
  EXPECT_THAT(line.parts, IsEmpty());
  line.decide(0, {1, 2, 0});
  EXPECT_THAT(line.parts, ElementsAre("ab"));
  line.decide(0, {1, 2, 0, 3, 0, 4});
  line.decide(0, {1, 2, 0, 3, 0, 4, 5});
  EXPECT_THAT(line.parts, ElementsAre("ab", " c"));
  line.text.finish("ab c de ||| 0-0");
  EXPECT_THAT(line.parts, ElementsAre("ab", " c", " de ||| 0-0"));
}

TEST(IncrementalDetokeniser, PassesOnPiecesInOrder) {
  Streamed line(3);
  line.decide(1, {3, 0, 4}, true);
  line.decide(0, {1, 0, 2});
  EXPECT_THAT(line.parts, ElementsAre("a"));
  line.decide(0, {1, 0, 2}, true);
  EXPECT_THAT(line.parts, ElementsAre("a", " b c"));
  line.decide(2, {5, 0, 6}, true);
  line.text.finish("a b c d e f");
  EXPECT_THAT(line.parts, ElementsAre("a", " b c", " d e", " f"));
}

TEST(IncrementalDetokeniser, OfNothingPassesOnNothing) {
  Streamed line(0);
  line.text.finish("");
  EXPECT_THAT(line.parts, ElementsAre(""));
}

class StreamTest : public testing::Test {
 protected:
  void expect_the_same(const decode::DecodeOptions& options, const Parts& lines) {
    const Translator translator(session, options);
    Report report, silent;
    size_t parts = 0;
    for (const std::string& line : lines) {
      std::string streamed;
      const int64_t number = report.inputs;
      const TranslatedLine out = translator.stream({line}, report, [&](std::string_view more) {
        parts += more.empty() ? 0 : 1;
        streamed += more;
      });
      const std::string whole = test::translated(translator, {line}, silent)[0];
      EXPECT_EQ(streamed, out.hypotheses.front().text);
      EXPECT_EQ(whole.substr(0, streamed.size()), streamed);
      EXPECT_EQ(whole, written(out, number, translator.options()));
    }
    EXPECT_GT(parts, lines.size());
    EXPECT_EQ(report.text(), silent.text());
  }

  model_file::TranslatorSession session = small_session(small_options(), ".\n");
};

TEST_F(StreamTest, EndsWithTheTextOfTheWholeLine) {
  const Parts lines = random_lines(6);
  expect_the_same({.beam_size = 1, .min_length = 6}, lines);
  expect_the_same({.beam_size = 4, .normalize = 1, .min_length = 6}, lines);
  expect_the_same({.min_length = 6, .sampling = {.kind = decode::FromTopK{}}}, lines);
  expect_the_same({.beam_size = 1, .alignment = {.kind = decode::HardAlignment{}}, .min_length = 6},
                  lines);
}

TEST_F(StreamTest, JoinsThePiecesOfALongLine) {
  const Parts lines = {"w1 w2 w3 . w4 w5 w6 . w7 .", "w1", "w8 w9 . w3 w2 w1 ."};
  expect_the_same({.beam_size = 2, .min_length = 4, .max_length = 4}, lines);
  expect_the_same({.beam_size = 2, .min_length = 4, .max_length = 4, .mini_batch = 1}, lines);
}

}  // namespace
}  // namespace weft::predict
