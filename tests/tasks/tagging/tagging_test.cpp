#include "weft/tasks/tagging/tagging.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/captured_log.h"
#include "tests/support/errors.h"
#include "tests/support/tensors.h"
#include "tests/tasks/resumption.h"
#include "tests/tasks/tagging/small_tagging.h"
#include "tests/train/small_training.h"
#include "weft/core/error.h"

namespace weft::tasks {
namespace {

using test::Scratch;
using testing::HasSubstr;
using testing::Not;

struct TaggingCase {
  const char* name;
  const char* flags;
  friend std::ostream& operator<<(std::ostream& out, const TaggingCase& c) { return out << c.name; }
};

constexpr TaggingCase kTaggingCases[] = {
    {"Usual", ""},
    {"Crf", "--crf spans --valid-metrics span-f1 exact-match"},
    {"Characters", "--char-encoder cnn --crf all --type rnn --label-weights 1 0.5 2"},
    {"CharacterTransformer", "--char-encoder transformer --valid-metrics cross-entropy"},
    {"WordDropout", "--word-dropout 0.3 --exponential-smoothing 0.01 --label-smoothing 0.1"},
    {"Averages", "--average-checkpoints 3 --optimizer-delay 2 --pooling attention"},
    {"Recompute", "--gradient-checkpointing true --pooling first --char-encoder cnn"},
};

class EveryTagging : public testing::TestWithParam<TaggingCase> {};

TEST_P(EveryTagging, GoesOnAsIfNeverStopped) {
  expect_resumes<Tagging>(small_tagging, GetParam().flags);
}

INSTANTIATE_TEST_SUITE_P(Cases, EveryTagging, testing::ValuesIn(kTaggingCases),
                         [](const auto& one) { return one.param.name; });

TEST(Tagging, KeepsItsLabelsAndVocabulariesInTheFile) {
  const Scratch folder;
  const TaggingOptions o = small_tagging(folder, "--char-encoder cnn");
  train_tagger(o);
  const model_file::TaggerSession session =
      model_file::load<model_file::TaggerSession>(o.loop.model);
  ASSERT_EQ(session.labels().size(), 3u);
  EXPECT_THAT(session.labels()[0].names(),
              testing::UnorderedElementsAre("O", "B-L", "I-L", "B-M", "I-M"));
  EXPECT_THAT(session.labels()[1].names(), testing::UnorderedElementsAre("K0", "K1", "K2", "K3"));
  EXPECT_EQ(session.labels()[2].size(), 4);
  EXPECT_EQ(session.assets.word_columns, 2u);
  EXPECT_EQ(session.tokeniser().size(), 15);
  EXPECT_EQ(session.assets.characters->size(), 4 + 11);  // w and the digits
}

TEST(Tagging, MeasuresWhatIsAskedForColumnByColumn) {
  const Scratch folder;
  const test::CapturedLog told;
  train_tagger(small_tagging(
      folder, "--valid-metrics accuracy span-f1 text-accuracy exact-match cross-entropy"));
  EXPECT_THAT(told.text(), testing::ContainsRegex(
                               "validation at update 12: accuracy of 1 0\\.[0-9]+ accuracy of 2 "
                               "0\\.[0-9]+ span-f1 0\\.[0-9]+ text-accuracy 0\\.[0-9]+ exact-match "
                               "0\\.[0-9]+ cross-entropy [0-9.]+, the best"));
  EXPECT_THAT(told.text(), HasSubstr("5 and 4 and 4 labels"));
}

TEST(Tagging, ChoosesBySpansWhereLabelsMarkSome) {
  const auto metrics_with = [](const std::string& flags) {
    const Scratch folder;
    Tagging task(small_tagging(folder, flags));
    const auto group = train::single_process();
    task.make_model(*group, false);
    return task.options().validation.valid_metrics;
  };
  using testing::ElementsAre;
  EXPECT_THAT(metrics_with(""), ElementsAre("span-f1", "accuracy"));
  EXPECT_THAT(metrics_with("--word-labels 2"), ElementsAre("accuracy"));
  EXPECT_THAT(metrics_with("--valid-metrics accuracy"), ElementsAre("accuracy"));
}

TEST(Tagging, LearnsLabelsThatFollowFromWords) {
  const Scratch folder;
  const test::CapturedLog told;
  TaggingOptions o = small_tagging(
      folder, "--valid-metrics exact-match --learn-rate 0.02 --crf spans --type rnn --dim-emb 32");
  o.loop.after = options::Period::updates(250);
  o.data.train_sets = {folder.file("train.tsv", test::tagged_text(1, 300))};
  train_tagger(o);
  EXPECT_THAT(told.text(), testing::ContainsRegex("exact-match (0\\.9|1\\.)"));
}

TEST(Tagging, CountsWordsAndNotTheirTokens) {
  const Scratch folder;
  folder.file("letters.vocab", "</s>\n<unk>\n<s>\n \nw\n1\n");
  TaggingOptions o = small_tagging(folder);
  o.data.vocabs = {folder.path("letters.vocab")};
  Tagging task(o);
  const auto group = train::single_process();
  task.make_model(*group, false);
  task.read_data(*group);
  std::istringstream in(test::words_of_tagged(test::tagged_text(1, 100)));
  for (int64_t i = 0; i < task.dataset()->size(); ++i) {
    std::string line;
    std::getline(in, line);
    EXPECT_EQ(task.targets(i), 1 + std::ranges::count(line, ' '));
    EXPECT_EQ(task.dataset()->cost(i).rows, std::ssize(line) - std::ranges::count(line, ' ') + 1);
  }
}

class TaggingErrors : public testing::Test {
 protected:
  template <class Kind>
  std::string error(const TaggingOptions& o) {
    return test::message_of<Kind>([&] { train_tagger(o); });
  }
  Scratch folder_;
};

TEST_F(TaggingErrors, NameFileAndLine) {
  TaggingOptions o = small_tagging(folder_);
  folder_.file("valid.tsv", "w1\tO\tK1\tintent1\nw1 w2\tO B-Z\tK1 K2\tintent1\n");
  EXPECT_THAT(error<FormatError>(o), HasSubstr("valid.tsv:2: the label 'B-Z' is unknown; expected "
                                               "one of the 5 that the model has"));
  folder_.file("train.tsv", "w1 w2\tO\tK1 K1\ti\n");
  EXPECT_THAT(error<FormatError>(o),
              HasSubstr("train.tsv:1, column 2: 1 labels for 2 words; expected one for each"));
  folder_.file("train.tsv", "w1 w2 O O\n");
  EXPECT_THAT(error<FormatError>(o), HasSubstr("train.tsv:1: too few columns; expected 4"));
  folder_.file("train.tsv", "w1\tI-L\tK1\ti\n");
  o.invalid_tags = "refuse";
  EXPECT_THAT(error<FormatError>(o),
              HasSubstr("train.tsv:1: 'I-L' follows nothing; expected B-L or I-L before it"));
  folder_.file("train.tsv", "");
  EXPECT_THAT(error<FormatError>(o), HasSubstr("train.tsv: no labels"));
  EXPECT_THAT(folder_.names(), Not(testing::Contains("model.safetensors")));
  EXPECT_THAT(folder_.names(), Not(testing::Contains("words.vocab")));
}

TEST_F(TaggingErrors, NameOptionsThatContradict) {
  const struct {
    const char* flags;
    const char* message;
  } cases[] = {
      {"--word-labels 1 1", "--word-labels: field 1 occurs twice"},
      {"--word-labels 0", "--word-labels: field 0 occurs twice"},
      {"--format conll", "labels of a whole line"},
      {"--label-weights 1 2",
       "--label-weights: expected one for each of 3 fields of labels, got 2"},
      {"--crf all --invalid-tags keep", "--invalid-tags: "},
      {"--char-min-count 3", "--char-min-count: "},
      {"--type cnn --pooling first", "--pooling: first is not for --type cnn, "},
      {"--char-filters 3", "--char-filters: "},
      {"--type rnn --gradient-checkpointing true", "--gradient-checkpointing: "},
      {"--norm-kind batch --average-checkpoints 2", "--average-checkpoints: "},
      {"--word-labels 2 --valid-metrics span-f1",
       "--valid-metrics: span-f1 is of labels that mark"},
      {"--valid-metrics bleu", "valid-metrics"},
      {"--valid-metrics auto accuracy", "--valid-metrics: auto stands for all metrics"},
  };
  for (const auto& [flags, message] : cases) {
    EXPECT_THAT(test::message_of<OptionError>([&] { train_tagger(small_tagging(folder_, flags)); }),
                HasSubstr(message))
        << flags;
  }
  TaggingOptions o = small_tagging(folder_, "--valid-metrics text-accuracy");
  o.labels.text_labels.clear();
  EXPECT_THAT(error<OptionError>(o), HasSubstr("--valid-metrics: text-accuracy is of labels of"));
  o = small_tagging(folder_, "--pooling max");
  o.labels.text_labels.clear();
  EXPECT_THAT(error<OptionError>(o), HasSubstr("--pooling: is for labels of texts"));
  o = small_tagging(folder_, "--crf all --label-smoothing 0.1");
  o.labels.text_labels.clear();
  EXPECT_THAT(error<OptionError>(o), HasSubstr("--label-smoothing: is of labels without a CRF"));
  o = small_tagging(folder_);
  o.validation.valid_sets.clear();
  o.validation.early_stopping = 3;
  EXPECT_THAT(error<OptionError>(o), HasSubstr("--early-stopping: is not read without"));
}

TEST(Tagging, RepairsMisplacedTagsOfTrainingAndOfValidation) {
  const Scratch folder;
  const test::CapturedLog told;
  TaggingOptions o = small_tagging(folder, "--crf spans");
  folder.file("valid.tsv", "w1\tI-L\tK1\tintent1\n");
  train_tagger(o);
  EXPECT_THAT(told.text(), HasSubstr("1 invalid BIO tags repaired"));
}

class TaggingPretrained : public testing::Test {
 protected:
  Scratch folder_;
};

TEST_F(TaggingPretrained, StartsFromTheEncoderOfATranslator) {
  train::TranslationOptions first = train::small(folder_);
  first.loop.model = folder_.path("translator.safetensors");
  first.data.vocabs[0] = folder_.path("words.vocab");
  first.loop.after = options::Period::updates(2);
  train::train(first);
  TaggingOptions o = small_tagging(folder_, "--char-encoder cnn --learn-rate 0");
  o.pretrained.model = first.loop.model;
  o.pretrained.parts = {"model.encoder.*"};
  o.loop.after = options::Period::updates(1);
  const test::CapturedLog told;
  train_tagger(o);
  EXPECT_THAT(told.text(), HasSubstr(" parameters from " + first.loop.model));
  model_file::TranslatorSession from =
      model_file::load<model_file::TranslatorSession>(first.loop.model);
  model_file::TaggerSession to = model_file::load<model_file::TaggerSession>(o.loop.model);
  const auto theirs = nn::parameters_of(from.model);
  for (const auto& [name, p] : nn::parameters_of(to.model)) {
    if (!name.starts_with("model.encoder.")) continue;
    const auto same = std::ranges::find(theirs, name, &nn::NamedParameter::name);
    ASSERT_NE(same, theirs.end()) << name;
    EXPECT_TRUE(test::same_bits(same->parameter->value, p->value)) << name;
  }
}

TEST_F(TaggingPretrained, StartsFromAnotherTagger) {
  const TaggingOptions first = small_tagging(folder_, "--char-encoder cnn --crf spans");
  train_tagger(first);
  TaggingOptions next = small_tagging(folder_, "--char-encoder cnn --crf spans");
  next.pretrained.model = first.loop.model;
  next.loop.model = folder_.path("next.safetensors");
  const test::CapturedLog told;
  train_tagger(next);
  EXPECT_THAT(told.text(), HasSubstr(" parameters from " + first.loop.model));
  // As many characters, but others.
  std::string text = test::tagged_text(1, 100);
  std::ranges::replace(text, '9', '$');
  std::ranges::replace(text, 'w', 'v');
  TaggingOptions other = next;
  other.loop.model = folder_.path("other.safetensors");
  other.data.train_sets = {folder_.file("other.tsv", text)};
  EXPECT_THAT(test::message_of<OptionError>([&] { train_tagger(other); }),
              HasSubstr("model.characters.embed_tokens.weight belongs to another character "
                        "vocabulary, of 15 tokens, now 15"));
}

}  // namespace
}  // namespace weft::tasks
