#include "weft/predict/tagging/tagger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/predict/predicted.h"
#include "tests/support/options.h"
#include "weft/data/text/plain_tokeniser.h"
#include "weft/model_file/tagger.h"

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

std::vector<Words> texts_of_words(const std::vector<std::string>& lines) {
  std::vector<Words> out;
  for (const std::string& line : lines) out.push_back(words_of({line}));
  return out;
}

std::vector<Words> some_texts() {
  return texts_of_words({"abc a cab", "", " b ", "zzz \xFF", "a b c a b c abcabc"});
}

void expect_same(const TaggedText& one, const TaggedText& other) {
  ASSERT_EQ(one.columns.size(), other.columns.size());
  for (size_t c = 0; c < one.columns.size(); ++c) {
    EXPECT_EQ(one.columns[c].labels, other.columns[c].labels);
    EXPECT_EQ(one.columns[c].probabilities, other.columns[c].probabilities);
  }
}

TaggerOptions one_at_a_time() {
  TaggerOptions out;
  out.batches.mini_batch = 1;
  return out;
}

class EveryTextTagger : public testing::TestWithParam<const char*> {};

TEST_P(EveryTextTagger, GivesEachWordALabelWhateverTheBatch) {
  const model_file::TaggerSession session = tagger_session(3, GetParam());
  const Tagger together({&session, 1}, {}, true), alone({&session, 1}, one_at_a_time(), true);
  const std::vector<Words> texts = some_texts();
  Report report;
  const std::vector<TaggedText> all = predict(together, texts, report);
  ASSERT_EQ(all.size(), texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    const size_t words = texts[i].words.size();
    EXPECT_EQ(all[i].fault.has_value(), words == 0);
    ASSERT_EQ(all[i].columns.size(), 3u);
    for (size_t c = 0; c < 3; ++c) {
      const size_t expected = c < 2 ? words : std::min<size_t>(words, 1);
      EXPECT_EQ(all[i].columns[c].labels.size(), expected);
      EXPECT_EQ(all[i].columns[c].probabilities.size(), expected);
      for (const float p : all[i].columns[c].probabilities) EXPECT_TRUE(p > 0 && p <= 1) << p;
    }
    expect_same(test::predicted(alone, std::vector{texts[i]}).front(), all[i]);
  }
  EXPECT_EQ(report.count(FaultKind::kEmpty), 1);
  EXPECT_EQ(report.count(Note::kMalformed), 1);
  EXPECT_EQ(report.count(Note::kUnknown), 1);
}

INSTANTIATE_TEST_SUITE_P(Cases, EveryTextTagger,
                         testing::Values("", "--crf spans --type rnn", "--char-encoder cnn",
                                         "--char-encoder transformer --pooling first --crf all",
                                         "--position learned --max-positions 5"));

TEST(Tagger, TagsLongTextsInWindows) {
  const model_file::TaggerSession session = tagger_session(3, "--crf spans --pooling first");
  const std::vector<Words> whole = texts_of_words({"ab c abc a abcabc b"});
  const std::vector<Words> parts = texts_of_words({"ab c", "abc", "a", "abc", "b"});
  const Tagger windows({&session, 1}, {.invalid_tags = "keep", .max_length = 3}),
      single({&session, 1}, {.invalid_tags = "keep"});
  Report of_windows, of_single;
  const TaggedText found = predict(windows, whole, of_windows).front();
  std::vector<std::string> chunks, kinds;
  const std::vector<TaggedText> alone = predict(single, parts, of_single);
  for (const TaggedText& part : alone) {
    chunks.insert(chunks.end(), part.columns[0].labels.begin(), part.columns[0].labels.end());
    kinds.insert(kinds.end(), part.columns[1].labels.begin(), part.columns[1].labels.end());
  }
  EXPECT_EQ(found.columns[0].labels, chunks);
  EXPECT_EQ(found.columns[1].labels, kinds);
  EXPECT_EQ(found.columns[2].labels, alone.front().columns[2].labels);
  EXPECT_EQ(of_windows.count(Note::kWindows), 1);
  EXPECT_EQ(of_windows.count(Note::kCropped), 1);  // abcabc
  EXPECT_FALSE(of_single.has_news());
}

TEST(Tagger, RepairsTagsThatMayNotFollow) {
  model_file::TaggerSession session = tagger_session(3);
  auto bias = session.model.heads[0].out_proj.bias.value.span<float>();
  bias[2] = 100;  // I-X everywhere
  const std::vector<Words> texts = texts_of_words({"a b c"});
  const Tagger repairing({&session, 1}, {}), keeping({&session, 1}, {.invalid_tags = "keep"});
  EXPECT_THAT(test::predicted(repairing, texts).front().columns[0].labels,
              ElementsAre("B-X", "I-X", "I-X"));
  EXPECT_THAT(test::predicted(keeping, texts).front().columns[0].labels, Each("I-X"));
}

TEST(Tagger, TagsWithSeveralModels) {
  const std::vector<model_file::TaggerSession> sessions = {
      tagger_session(1, "--crf spans --char-encoder cnn"),
      tagger_session(2, "--crf spans --type rnn")};
  model_file::check_same_assets(sessions[0], sessions[1], "second");
  const Tagger both(sessions, {}, true), first({sessions.data(), 1}, {}, true),
      second({sessions.data() + 1, 1}, {}, true);
  const std::vector<Words> texts = some_texts();
  const auto mean = test::predicted(both, texts), a = test::predicted(first, texts),
             b = test::predicted(second, texts);
  bool differs = false;
  for (size_t i = 0; i < texts.size(); ++i) {
    for (size_t w = 0; w < texts[i].words.size(); ++w) {
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
