#include "weft/predict/tagging/tagger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/options.h"
#include "weft/data/text/plain_tokeniser.h"

namespace weft::predict {
namespace {

using testing::Each;
using testing::ElementsAre;

const std::vector<std::string> kChunks = {"O", "B-X", "I-X"};

model_file::TaggerSession tagger_session(uint64_t seed, const std::string& flags = "") {
  models::TaggerOptions o;
  test::set(o, "--dim-emb 16 " + flags);
  data::TokeniserPtr characters;
  if (o.characters.is_on()) {
    characters = data::make_plain_tokeniser(data::Vocabulary({"a", "b", " "}, "characters"));
  }
  // Words become tokens letter by letter.
  return model_file::new_tagger(
      o,
      {{data::make_plain_tokeniser(data::Vocabulary({"a", "b", "c", " "}, "letters")),
        {data::LabelSet(kChunks, "chunks"), data::LabelSet({"N", "V"}, "kinds"),
         data::LabelSet({"ask", "tell"}, "texts")}},
       2,
       characters},
      seed);
}

using TextsOfWords = std::vector<std::vector<std::string_view>>;

TextsOfWords some_texts() {
  return {
      {"abc", "a", "cab"}, {}, {"b"}, {"zzz", "\xFF"}, {"a", "b", "c", "a", "b", "c", "abcabc"}};
}

void expect_same(const TaggedText& one, const TaggedText& other) {
  ASSERT_EQ(one.columns.size(), other.columns.size());
  for (size_t c = 0; c < one.columns.size(); ++c) {
    EXPECT_EQ(one.columns[c].labels, other.columns[c].labels);
    EXPECT_EQ(one.columns[c].probabilities, other.columns[c].probabilities);
  }
}

class EveryTextTagger : public testing::TestWithParam<const char*> {};

TEST_P(EveryTextTagger, GivesEachWordALabelWhateverTheBatch) {
  const model_file::TaggerSession session = tagger_session(3, GetParam());
  Tagger together({&session, 1}, {.with_probabilities = true}),
      alone({&session, 1}, {.mini_batch = 1, .with_probabilities = true});
  const TextsOfWords texts = some_texts();
  const std::vector<TaggedText> all = together.tag(texts);
  ASSERT_EQ(all.size(), texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    const size_t words = texts[i].size();
    ASSERT_EQ(all[i].columns.size(), 3u);
    for (size_t c = 0; c < 3; ++c) {
      const size_t expected = c < 2 ? words : std::min<size_t>(words, 1);
      EXPECT_EQ(all[i].columns[c].labels.size(), expected);
      EXPECT_EQ(all[i].columns[c].probabilities.size(), expected);
      for (const float p : all[i].columns[c].probabilities) EXPECT_TRUE(p > 0 && p <= 1) << p;
    }
    expect_same(alone.tag({&texts[i], 1}).front(), all[i]);
  }
  EXPECT_EQ(together.report().with_unknown, 1);
}

INSTANTIATE_TEST_SUITE_P(Cases, EveryTextTagger,
                         testing::Values("", "--crf spans --type rnn", "--char-encoder cnn",
                                         "--char-encoder transformer --pooling first --crf all",
                                         "--position learned --max-positions 5"));

TEST(Tagger, TagsLongTextsInWindows) {
  const model_file::TaggerSession session = tagger_session(3, "--crf spans --pooling first");
  const TextsOfWords whole = {{"ab", "c", "abc", "a", "abcabc", "b"}};
  const TextsOfWords parts = {{"ab", "c"}, {"abc"}, {"a"}, {"abc"}, {"b"}};
  Tagger windows({&session, 1}, {.max_length = 3, .misplaced_tags = data::MisplacedTags::kKeep}),
      single({&session, 1}, {.misplaced_tags = data::MisplacedTags::kKeep});
  const TaggedText found = windows.tag(whole).front();
  std::vector<std::string> chunks, kinds;
  for (const TaggedText& part : single.tag(parts)) {
    chunks.insert(chunks.end(), part.columns[0].labels.begin(), part.columns[0].labels.end());
    kinds.insert(kinds.end(), part.columns[1].labels.begin(), part.columns[1].labels.end());
  }
  EXPECT_EQ(found.columns[0].labels, chunks);
  EXPECT_EQ(found.columns[1].labels, kinds);
  EXPECT_EQ(found.columns[2].labels, single.tag(parts).front().columns[2].labels);
  EXPECT_EQ(windows.report().split, 1);
  EXPECT_EQ(windows.report().cropped, 1);  // abcabc
  EXPECT_EQ(single.report().split + single.report().cropped, 0);
}

TEST(Tagger, RepairsTagsThatMayNotFollow) {
  model_file::TaggerSession session = tagger_session(3);
  auto bias = session.model.heads[0].out_proj.bias.value.span<float>();
  bias[2] = 100;  // I-X everywhere
  const TextsOfWords texts = {{"a", "b", "c"}};
  Tagger repairing({&session, 1}, {}),
      keeping({&session, 1}, {.misplaced_tags = data::MisplacedTags::kKeep});
  EXPECT_THAT(repairing.tag(texts).front().columns[0].labels, ElementsAre("B-X", "I-X", "I-X"));
  EXPECT_THAT(keeping.tag(texts).front().columns[0].labels, Each("I-X"));
}

TEST(Tagger, TagsWithSeveralModels) {
  const std::vector<model_file::TaggerSession> sessions = {
      tagger_session(1, "--crf spans --char-encoder cnn"),
      tagger_session(2, "--crf spans --type rnn")};
  model_file::check_same_assets(sessions[0], sessions[1], "second");
  Tagger both(sessions, {.with_probabilities = true}),
      first({sessions.data(), 1}, {.with_probabilities = true}),
      second({sessions.data() + 1, 1}, {.with_probabilities = true});
  const TextsOfWords texts = some_texts();
  const auto mean = both.tag(texts), a = first.tag(texts), b = second.tag(texts);
  bool differs = false;
  for (size_t i = 0; i < texts.size(); ++i) {
    for (size_t w = 0; w < texts[i].size(); ++w) {
      const auto odds = [&](const TaggedText& text) {
        const bool is_first = text.columns[1].labels[w] == "N";
        const double p = double{text.columns[1].probabilities[w]};
        return std::log(is_first ? p / (1 - p) : (1 - p) / p);
      };
      EXPECT_NEAR(odds(mean[i]), (odds(a[i]) + odds(b[i])) / 2, 1e-4);
      differs |= std::abs(odds(a[i]) - odds(b[i])) > 0.1;
    }
  }
  EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace weft::predict
