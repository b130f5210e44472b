// What is shown of classifiers and taggers: attention, labels, and the attributions of words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "tests/data/subwords/golden_tokenisers.h"
#include "tests/inspect/example.h"
#include "tests/predict/predicted.h"
#include "tests/support/options.h"
#include "weft/core/error.h"
#include "weft/data/text/plain_tokeniser.h"
#include "weft/inspect/kinds/classifier.h"
#include "weft/inspect/kinds/tagger.h"
#include "weft/inspect/text_words.h"
#include "weft/predict/classification/classifier.h"
#include "weft/predict/tagging/tagger.h"

namespace weft::inspect {
namespace {

using testing::ElementsAre;

model_file::ClassifierSession classifier(const std::string& flags = "") {
  models::ClassifierOptions o;
  test::set(o, "--dim-emb 16 " + flags);
  return model_file::new_classifier(
      o,
      {data::make_plain_tokeniser(data::Vocabulary({"a", "b", "c"}, "words")),
       {data::LabelSet({"x", "y", "z"}, "labels")}},
      7);
}

model_file::TaggerSession tagger(const std::string& flags = "") {
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
        {data::LabelSet({"N", "V"}, "kinds"), data::LabelSet({"ask", "tell"}, "texts")}},
       1,
       characters},
      5);
}

// Integrated gradients sum to the difference of the scores within 1 %.
void expect_complete(const Attributions& attributions) {
  const int64_t words = attributions.gradients.cols();
  ASSERT_EQ(attributions.gradients.rows(), std::ssize(attributions.labels));
  for (size_t i = 0; i < attributions.labels.size(); ++i) {
    const float* row = attributions.gradients.data<float>() + static_cast<int64_t>(i) * words;
    const double difference = attributions.labels[i].score - attributions.labels[i].baseline_score;
    EXPECT_NEAR(std::accumulate(row, row + words, 0.0), difference,
                0.01 * std::abs(difference) + 1e-5);
  }
}

class EveryInspectedClassifier : public testing::TestWithParam<const char*> {};

TEST_P(EveryInspectedClassifier, HasTheLabelsOfClassifyAndCompleteAttributions) {
  const auto session = classifier(GetParam());
  const Example example = inspect(session, "a b c a", {});
  const predict::Classifier lines({&session, 1}, {});
  const predict::ChosenLabels expected =
      test::predicted(lines, test::lines_of({"a b c a"})).front();
  ASSERT_TRUE(example.attributions.has_value());
  ASSERT_EQ(example.attributions->labels.size(), 3u);
  for (const ExplainedLabel& label : example.attributions->labels) {
    const int32_t id = session.labels().find(label.label);
    EXPECT_NEAR(label.probability, expected.probabilities[id], 1e-6);
  }
  EXPECT_GE(example.attributions->labels[0].probability,
            example.attributions->labels[1].probability);
  expect_complete(*example.attributions);
}

INSTANTIATE_TEST_SUITE_P(Models, EveryInspectedClassifier,
                         testing::Values("", "--pooling first --position rotary",
                                         "--position rotary --transformer-norm pre",
                                         "--position relative --transformer-norm pre",
                                         "--norm-kind rms --position rotary --transformer-norm pre",
                                         "--position learned --transformer-norm pre",
                                         "--labels several --pooling attention", "--type rnn",
                                         "--type cnn --pooling max"));

TEST(InspectClassifier, LeftOutIsTheDifferenceOfTheScores) {
  const auto session = classifier();
  const Example whole = inspect(session, "a b c", {}), part = inspect(session, "a c", {});
  EXPECT_THAT(tokens_of_axis(whole, kWords), ElementsAre("a", "b", "c"));
  for (const ExplainedLabel& label : whole.attributions->labels) {
    const auto i = static_cast<int64_t>(&label - whole.attributions->labels.data());
    const auto other =
        std::ranges::find(part.attributions->labels, label.label, &ExplainedLabel::label);
    EXPECT_NEAR(whole.attributions->leave_one_out.data<float>()[3 * i + 1],
                label.score - other->score, 1e-5);
  }
}

// Clusters change along the path, and with them the score jumps.
TEST(InspectClassifier, SaysWhichAttributionsDoNotSumToTheScore) {
  const Example example = inspect(classifier("--attention clustered --attention-clusters 2"),
                                  "a b c a c b b a c a b a c c b", {});
  EXPECT_THAT(example.note, testing::HasSubstr("the integrated gradients of 3 of 3 labels do not"));
  for (const ExplainedLabel& label : example.attributions->labels) {
    EXPECT_FALSE(label.is_complete);
  }
  EXPECT_TRUE(to_json({example})[0]["attributions"]["labels"][0]["incomplete"]);
  EXPECT_EQ(inspect(classifier(), "a b", {}).note, "");
}

TEST(InspectClassifier, RefusesModelsThatItCannotExplain) {
  EXPECT_THROW(inspect(classifier("--labels sequence"), "a", {}), OptionError);
}

TEST(InspectClassifier, HasNothingToShowOfAnEmptyLine) {
  EXPECT_FALSE(inspect(classifier(), "  ", {}).attributions.has_value());
}

// A thousand words, in batches of bounded memory, and the same for a few.
TEST(InspectClassifier, LeavesOutWordsInBatches) {
  std::vector<std::pair<int64_t, int64_t>> ranges;
  for_each_left_out(1000, 900,
                    [&](int64_t begin, int64_t end) { ranges.emplace_back(begin, end); });
  EXPECT_EQ(ranges.size(), 250u);
  EXPECT_EQ(ranges.front(), std::pair(int64_t{0}, int64_t{4}));
  EXPECT_EQ(ranges.back(), std::pair(int64_t{996}, int64_t{1000}));
}

TEST(InspectClassifier, ShowsUnknownWordsAsTheyAre) {
  EXPECT_THAT(tokens_of_axis(inspect(classifier(), "a zebra c", {}), kWords),
              ElementsAre("a", "zebra", "c"));
}

TEST(InspectClassifier, RefusesScoresThatAreNotFinite) {
  auto session = classifier();
  session.model.output.bias.value.data<float>()[1] = std::nanf("");
  EXPECT_THROW(inspect(session, "a b", {}), NumericError);
}

class EveryInspectedTagger : public testing::TestWithParam<const char*> {};

TEST_P(EveryInspectedTagger, HasTheLabelsOfTagAndCompleteAttributions) {
  const auto session = tagger(GetParam());
  const Example example = inspect(session, "ab c abc", {});
  const predict::Tagger texts({&session, 1}, {}, true);
  const predict::TaggedText expected =
      test::predicted(texts, std::vector<weft::Words>{{.words = {"ab", "c", "abc"}}}).front();
  ASSERT_TRUE(example.attributions.has_value());
  ASSERT_EQ(example.attributions->labels.size(), 4u);  // of three words, and of the text
  for (size_t w = 0; w < 4; ++w) {
    const ExplainedLabel& label = example.attributions->labels[w];
    const predict::TaggedText::Column& column = expected.columns[w < 3 ? 0 : 1];
    EXPECT_EQ(label.word, w < 3 ? static_cast<int64_t>(w) : -1);
    EXPECT_EQ(label.label, column.labels[w < 3 ? w : 0]);
    EXPECT_NEAR(label.probability, column.probabilities[w < 3 ? w : 0], 1e-6);
  }
  EXPECT_THAT(tokens_of_axis(example, kTokens), ElementsAre("a", "b", "c", "a", "b", "c", "</s>"));
  expect_complete(*example.attributions);
}

INSTANTIATE_TEST_SUITE_P(Models, EveryInspectedTagger,
                         testing::Values("", "--position rotary --transformer-norm pre",
                                         "--crf all", "--type rnn", "--char-encoder cnn"));

TEST(InspectTagger, LeftOutIsTheDifferenceOfTheScores) {
  const auto session = tagger();
  const Example whole = inspect(session, "ab c abc", {}), part = inspect(session, "ab abc", {});
  const Attributions& all = *whole.attributions;
  // The label of the last word stands in row 2 of the one and in row 1 of the other.
  ASSERT_EQ(all.labels[2].label, part.attributions->labels[1].label);
  EXPECT_NEAR(all.leave_one_out.data<float>()[2 * 3 + 1],
              all.labels[2].score - part.attributions->labels[1].score, 1e-5);
  EXPECT_EQ(all.leave_one_out.data<float>()[2 * 3 + 2], 0);  // its own word
}

TEST(InspectTagger, ExplainsTheLabelsOfTheFirstWords) {
  const auto session = tagger();
  const Example all = inspect(session, "ab c abc", {});
  const Example some = inspect(session, "ab c abc", {.most_explained = 2});
  const Attributions& attributions = *some.attributions;
  ASSERT_EQ(attributions.labels.size(), 4u);
  // Of two words, and of the text; that of the third word follows.
  EXPECT_EQ(attributions.gradients.rows(), 3);
  EXPECT_EQ(attributions.leave_one_out.rows(), 3);
  EXPECT_EQ(attributions.labels[2].word, -1);
  EXPECT_EQ(attributions.labels[3].word, 2);
  EXPECT_EQ(attributions.labels[3].score, 0);
  for (int64_t i = 0; i < 6; ++i) {
    EXPECT_EQ(attributions.gradients.data<float>()[i],
              all.attributions->gradients.data<float>()[i]);
  }
  EXPECT_THAT(some.note, testing::HasSubstr("the labels of the first 2 words are explained"));
}

TEST(WordsOf, JoinsSubwords) {
  class Pieces : public data::Tokeniser {
   public:
    std::vector<int32_t> encode(std::string_view) const override { return {}; }
    std::string decode(std::span<const int32_t>) const override { return {}; }
    std::string_view piece(int32_t id) const override {
      return std::vector<std::string_view>{"</s>",           "<unk>", "<s>",
                                           "\xE2\x96\x81un", "do",    "\xE2\x96\x81it"}[id];
    }
    int32_t size() const override { return 6; }
    int32_t end_id() const override { return 0; }
    int32_t unknown_id() const override { return 1; }
    int32_t begin_id() const override { return 2; }
    std::string_view kind() const override { return "sentencepiece"; }
    std::string serialise() const override { return {}; }
    std::string file_bytes(bool) const override { return {}; }
  };
  const std::vector<int32_t> ids{2, 3, 4, 5, 0};
  const TextWords words = words_of(Pieces(), ids, {});
  EXPECT_THAT(words.words, ElementsAre("undo", "it"));
  EXPECT_THAT(words.word_of, ElementsAre(-1, 0, 0, 1, -1));
  EXPECT_THAT(words.by_word(std::vector<double>{9, 1, 2, 4, 9}), ElementsAre(3, 4));
  EXPECT_THAT(words.without(ids, 0), ElementsAre(2, 5, 0));
}

TEST(WordsOf, AreThoseOfTheTextByTokenisersOfOtherSystems) {
  const std::vector<std::string_view> words{"Undoable", "words,", "said", "he."};
  for (const char* name : {"bert", "roberta", "gpt2", "llama3"}) {
    SCOPED_TRACE(name);
    const data::TokeniserPtr tokeniser = data::golden_tokeniser(name);
    const data::EncodedText encoded = data::encode_text(
        *tokeniser, {.max_length = 100, .with_begin = true}, "Undoable words, said he.", {});
    const TextWords found = words_of(*tokeniser, encoded.ids, words);
    EXPECT_THAT(found.words, testing::ElementsAreArray(words));
    EXPECT_EQ(found.word_of.size(), encoded.ids.size());
    EXPECT_EQ(found.word_of.front(), -1);
    EXPECT_EQ(found.word_of.back(), -1);
    EXPECT_TRUE(std::is_sorted(found.word_of.begin() + 1, found.word_of.end() - 1));
    EXPECT_EQ(found.word_of.end()[-2], 3);
    const std::vector<int32_t> cropped(encoded.ids.begin(), encoded.ids.begin() + 2);
    EXPECT_THAT(words_of(*tokeniser, cropped, words).words, ElementsAre("Undoable"));
  }
}

}  // namespace
}  // namespace weft::inspect
