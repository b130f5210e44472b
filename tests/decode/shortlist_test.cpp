#include "weft/decode/shortlist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/decode/small_session.h"
#include "weft/core/error.h"
#include "weft/decode/sentences.h"
#include "weft/decode/translate.h"

namespace weft::decode {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ShortlistTest : public testing::Test {
 protected:
  // Ids: </s> 0, <unk> 1, <s> 2, w0 3, w1 4, ...
  Shortlist read(const std::string& text, int64_t first = 3, int64_t best = 2) {
    return {{.path = scratch.file("lex", text), .first = first, .best = best},
            session.source(),
            session.target()};
  }
  std::string error_of(const std::string& text) {
    try {
      read(text);
    } catch (const FormatError& e) {
      return e.what();
    }
    return "";
  }

  test::Scratch scratch;
  infer::Session session = small_session(small_options());
};

TEST_F(ShortlistTest, HoldsTheFirstTokensAndTheBestOfEachSourceToken) {
  const Shortlist list = read(
      "w9 w0 0.2\nw5 w0 0.7\nw7 w0 0.1\n"
      "w6\tw1\t1e-3\nw5 w1 0.5\nNULL w1 0.3\nw3 NULL 0.9\nw8 w2 0.5\nw4 w2 0.5\nw6 w2 0.5\n");
  EXPECT_THAT(list.of(std::vector<int32_t>{3}), ElementsAre(0, 1, 2, 8, 12));
  EXPECT_THAT(list.of(std::vector<int32_t>{3, 4, 3, 0}), ElementsAre(0, 1, 2, 8, 9, 12));
  EXPECT_THAT(list.of(std::vector<int32_t>{5}), ElementsAre(0, 1, 2, 7, 9));
  EXPECT_THAT(list.of(std::vector<int32_t>{9}), ElementsAre(0, 1, 2));
  EXPECT_THAT(read("w9 w0 1\n", 0, 0).of(std::vector<int32_t>{3}), ElementsAre(0));
  EXPECT_EQ(read("w9 w0 1\n", 1000).of(std::vector<int32_t>{3}).size(), 50u);
}

TEST_F(ShortlistTest, SaysWhatIsWrongWithItsFile) {
  EXPECT_THROW(Shortlist({.path = "none"}, session.source(), session.target()), FileError);
  for (const char* bad : {"w1 w2", "w1 w2 x", "w1 w2 0.5 w3", "", "w1 w2 -1", "w1 w2 nan"}) {
    EXPECT_THAT(error_of(std::string("w1 w1 1\n") + bad + "\n"),
                HasSubstr("line 2: expected `target source probability`"))
        << bad;
  }
  EXPECT_THAT(error_of("x y 0.5\n"), HasSubstr("no line has tokens of the model's vocabularies"));
  EXPECT_THAT(error_of(""), HasSubstr("no line has tokens of the model's vocabularies"));
}

// Lists of tokens that each sentence may hold, the end symbol among them.
std::vector<std::vector<int32_t>> some_tokens(int64_t sentences) {
  RandomStream random(4, 4);
  std::vector<std::vector<int32_t>> out(static_cast<size_t>(sentences));
  for (std::vector<int32_t>& allowed : out) {
    allowed.push_back(kEnd);
    for (int32_t id = 3; id < 50; ++id) {
      if (random.below(4) == 0) allowed.push_back(id);
    }
  }
  return out;
}

TEST(Decode, HoldsToItsTokensAsIfTheOthersWereForbiddenByHand) {
  for (const ModelCase& c : model_cases()) {
    SCOPED_TRACE(c.name);
    const models::Seq2Seq model = small_model(c.options);
    const data::Ragged sources = random_sentences(5, 6);
    const std::vector<std::vector<int32_t>> allowed = some_tokens(sources.sentences());
    DecodeOptions options{.beam_size = 2, .n_best = true};
    for (const int64_t batch : {1, 4}) {
      options.mini_batch = batch;
      const std::vector<NBest> got = decode(model, sources, options, {.allowed = allowed});
      for (int64_t s = 0; s < sources.sentences(); ++s) {
        Demands by_hand;
        for (int32_t id = 0; id < 50; ++id) {
          if (std::ranges::count(allowed[s], id) == 0) by_hand.forbidden.push_back(id);
        }
        data::Ragged source;
        source.add(sources[s]);
        const NBest expected = decode(model, source, options, by_hand)[0];
        ASSERT_EQ(got[s].size(), expected.size());
        for (size_t i = 0; i < expected.size(); ++i) {
          EXPECT_EQ(got[s][i].tokens, expected[i].tokens);
          EXPECT_EQ(got[s][i].log_probability, expected[i].log_probability);
        }
      }
    }
  }
}

TEST_F(ShortlistTest, BoundsTranslationsLineByLine) {
  Translator translator(session, {.beam_size = 2, .min_length = 4});
  translator.use_shortlist(read("w9 w0 1\nw8 w1 1\n", 0, 1));
  const std::vector<SourceLine> lines = {{"w0"}, {"w1 w1"}, {"w0 w1"}};
  const std::vector<std::string> out = translator.translate(lines);
  EXPECT_THAT(out[0], testing::MatchesRegex("(w9 ?)+"));
  EXPECT_THAT(out[1], testing::MatchesRegex("(w8 ?)+"));
  EXPECT_THAT(out[2], testing::MatchesRegex("(w[89] ?)+"));
}

}  // namespace
}  // namespace weft::decode
