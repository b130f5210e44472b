#include "weft/tasks/classification/classification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <map>
#include <sstream>

#include "tests/support/captured_log.h"
#include "tests/support/errors.h"
#include "tests/support/tensors.h"
#include "tests/tasks/classification/small_classification.h"
#include "tests/tasks/resumption.h"
#include "tests/train/small_training.h"
#include "weft/core/error.h"

namespace weft::tasks {
namespace {

using test::Scratch;
using testing::HasSubstr;
using testing::Not;

struct ClassificationCase {
  const char* name;
  const char* flags;
  friend std::ostream& operator<<(std::ostream& out, const ClassificationCase& c) {
    return out << c.name;
  }
};

constexpr ClassificationCase kClassificationCases[] = {
    {"Usual", ""},
    {"Several", "--labels several --valid-metrics micro-f1 --at-least-one true"},
    {"Calibrated", "--calibrate true --valid-metrics cross-entropy"},
    {"Sequence", "--labels sequence --word-dropout 0.2 --valid-metrics cross-entropy micro-f1"},
    {"WordDropout", "--word-dropout 0.3 --exponential-smoothing 0.01"},
    {"Weights", "--class-weights class0=2 class2=0.5 --label-smoothing 0.1"},
    {"Averages", "--average-checkpoints 3 --optimizer-delay 2 --pooling attention"},
    {"Contrastive", "--contrastive --optimizer-delay 2 --classifier-dropout 0.1"},
    {"Recompute", "--gradient-checkpointing true --pooling first"},
};

class EveryWay : public testing::TestWithParam<ClassificationCase> {};

TEST_P(EveryWay, GoesOnAsIfNeverStopped) {
  constexpr int64_t kSavesAnyway = 6;  // and validates
  expect_resumes<Classification>(small_classification, GetParam().flags, kSavesAnyway);
}

INSTANTIATE_TEST_SUITE_P(Cases, EveryWay, testing::ValuesIn(kClassificationCases),
                         [](const auto& one) { return one.param.name; });

TEST(Classification, KeepsItsLabelsVocabularyAndRuleInTheFile) {
  const Scratch folder;
  ClassificationOptions o = small_classification(folder, "--labels several --calibrate true");
  o.loop.after = options::Period::updates(60);
  train_classifier(o);
  const model_file::ClassifierSession session =
      model_file::load<model_file::ClassifierSession>(o.loop.model);
  EXPECT_THAT(session.labels().names(),
              testing::UnorderedElementsAre("class0", "class1", "class2"));
  EXPECT_EQ(session.text.tokeniser->size(), 15);
  EXPECT_NE(session.params.threshold, 0.5);
  EXPECT_NE(session.params.temperature, 1);
}

TEST(Classification, LogsATableOfTheLabelsWhereAsked) {
  const Scratch folder;
  const test::CapturedLog told;
  ClassificationOptions o = small_classification(folder, "--valid-report true");
  train_classifier(o);
  EXPECT_THAT(told.text(), HasSubstr("class0"));
  EXPECT_THAT(told.text(), HasSubstr("calibration error"));
  EXPECT_THAT(told.text(), HasSubstr("3 labels"));
}

TEST(Classification, WarnsWhereTextsAreReadAsLabels) {
  const Scratch folder;
  const auto warnings_of = [&](const std::string& text, const std::string& flags) {
    ClassificationOptions o = small_classification(folder, "--after 1u --overwrite true " + flags);
    o.validation.valid_sets.clear();
    folder.file("train.tsv", text);
    const test::CapturedLog told;
    train_classifier(o);
    return told.warnings();
  };
  std::string text;
  for (int i = 0; i < 20; ++i)
    text += "word" + std::to_string(i) + "\tclass" + (i < 5 ? "0\n" : "1\n");
  EXPECT_THAT(warnings_of(text, ""),
              HasSubstr("20 labels for 20 examples; the label is field 0 and the text field 1; "
                        "hint: if they are swapped, give --label-field 1 --text-field 0"));
  EXPECT_THAT(warnings_of(text, "--label-field 1 --text-field 0"), Not(HasSubstr("swapped")));
}

TEST(Classification, CountsTextsAndNotTheirTokens) {
  const Scratch folder;
  ClassificationOptions o = small_classification(folder);
  o.loop.after = options::Period::targets(100);
  train_classifier(o);
  EXPECT_EQ(test::updates_done(folder) > 0, true);
  const test::CapturedLog told;
  o.loop.after = options::Period::epochs(1);
  EXPECT_EQ(train_classifier(o), train::Ending::kWasFinished);  // 100 texts are an epoch
}

class ClassificationErrors : public testing::Test {
 protected:
  template <class Kind>
  std::string error(const ClassificationOptions& o) {
    return test::message_of<Kind>([&] { train_classifier(o); });
  }
  Scratch folder_;
};

TEST_F(ClassificationErrors, NameFileAndLine) {
  ClassificationOptions o = small_classification(folder_);
  folder_.file("valid.tsv", "class0\tw1\nclass9\tw2\n");
  EXPECT_THAT(error<FormatError>(o), HasSubstr("valid.tsv:2: the label 'class9' is unknown; "
                                               "expected one of the 3 that the model has; hint: "
                                               "did you mean class0?"));
  folder_.file("train.tsv", "class0\tw1\nclass1 w2\n");
  EXPECT_THAT(error<FormatError>(o), HasSubstr("train.tsv:2: too few columns; expected 2"));
  folder_.file("train.tsv", "class0\tw1\nclass1\t \n");
  EXPECT_THAT(error<FormatError>(o), HasSubstr("train.tsv:2: has no words"));
  folder_.file("train.tsv", "class0\tw1\n\tw2\n");
  EXPECT_THAT(error<FormatError>(o), HasSubstr("train.tsv:2: no label; expected one"));
  folder_.file("train.tsv", "class0\tw1\nclass1\t\xFF\n");
  EXPECT_THAT(error<FormatError>(o), HasSubstr("train.tsv:2: is not UTF-8"));
  folder_.file("train.tsv", "a\tw1\na\tw2\n");
  EXPECT_THAT(error<FormatError>(o), HasSubstr("train.tsv: all texts have the label 'a'; expected "
                                               "at least two labels"));
  folder_.file("train.tsv", "");
  EXPECT_THAT(error<FormatError>(o), HasSubstr("train.tsv: no labels"));
  EXPECT_THAT(folder_.names(), Not(testing::Contains("model.safetensors")));
  EXPECT_THAT(folder_.names(), Not(testing::Contains("words.vocab")));
}

TEST_F(ClassificationErrors, NameOptionsThatContradict) {
  const struct {
    const char* flags;
    const char* message;
  } cases[] = {
      {"--label-separators ,", "--label-separators: "},
      {"--labels several --label-smoothing 0.1", "--label-smoothing: "},
      {"--format conll", "--format: conll has labels of words"},
      {"--label-field 1", "--label-field: field 1 is the text (--text-field)"},
      {"--format first-word --label-field 2", "--label-field: --format first-word has the fields"},
      {"--format files", "--train-sets: expected a file for each field with --format files, got 1"},
      {"--class-weights nine=1", "--class-weights: the label 'nine' is not in the training text"},
      {"--norm-kind batch --average-checkpoints 2", "--average-checkpoints: "},
      {"--pooling-heads 2", "--pooling-heads: "},
      {"--weight-field 0",
       "--weight-field: field 0 is the label (--label-field); expected another"},
      {"--weight-field 1", "--weight-field: field 1 is the text (--text-field); expected another"},
      {"--weight-field 2 --pair-field 2", "--weight-field: field 2 is the second text"},
      {"--weight-field 2 --contrastive", "--weight-field: contradicts --contrastive"},
      {"--weight-field 2 --labels several", "--weight-field: belongs to --labels one"},
      {"--weight-field 2 --format first-word", "--weight-field: --format first-word has the"},
  };
  for (const auto& [flags, message] : cases) {
    EXPECT_THAT(error<OptionError>(small_classification(folder_, flags)), HasSubstr(message))
        << flags;
  }
  ClassificationOptions o = small_classification(folder_, "--calibrate true");
  o.validation.valid_sets.clear();
  EXPECT_THAT(error<OptionError>(o), HasSubstr("--calibrate: is not read without --valid-sets"));
  o = small_classification(folder_);
  o.model = {};
  test::set(o, "--type rnn --gradient-checkpointing true");
  EXPECT_THAT(error<OptionError>(o),
              HasSubstr("--gradient-checkpointing: is implemented for Transformer layers"));
  o = small_classification(folder_);
  o.model = {};
  test::set(o, "--type rnn --enc-type unidirectional --pooling first");
  EXPECT_THAT(error<OptionError>(o),
              HasSubstr("--pooling: first is not for --type rnn with --enc-type unidirectional, "));
  o = small_classification(folder_);
  o.data.vocabs.push_back("two");
  EXPECT_THAT(error<OptionError>(o), HasSubstr("--vocabs: expected one vocabulary"));
}

// A text of lines, with the weight of each by its label in a third field.
std::string weighted(const std::string& text, const std::map<std::string, std::string>& weights) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    out += line + '\t' + weights.at(line.substr(0, line.find('\t'))) + '\n';
  }
  return out;
}

// The weights of a model trained on texts with weights by their labels, or without.
std::vector<float> trained_weights(const std::string& flags,
                                   const std::map<std::string, std::string>& weights = {}) {
  const Scratch folder;
  ClassificationOptions o = small_classification(folder, flags);
  if (!weights.empty()) {
    folder.file("train.tsv", weighted(test::one_label_text(1, 100), weights));
    o.loss.weight_field = 2;
  }
  train_classifier(o);
  auto session = model_file::load<model_file::ClassifierSession>(o.loop.model);
  std::vector<float> out;
  for (const auto& [name, p] : nn::parameters_of(session.model)) {
    const std::span<const float> values = p->value.span<float>();
    out.insert(out.end(), values.begin(), values.end());
  }
  return out;
}

TEST(ClassificationWeights, OfTextsAreAsThoseOfTheirLabels) {
  const std::string flags = "--label-smoothing 0.1 --optimizer-delay 2 ";
  const auto same = [&](const std::string& class_weights,
                        const std::map<std::string, std::string>& weights) {
    return trained_weights(flags + class_weights) == trained_weights(flags, weights);
  };
  EXPECT_TRUE(same("", {{"class0", "1"}, {"class1", "1"}, {"class2", "1"}}));
  EXPECT_TRUE(same("--class-weights class0=2 class2=0",
                   {{"class0", "2"}, {"class1", "1"}, {"class2", "0"}}));
  EXPECT_FALSE(same("", {{"class0", "2"}, {"class1", "1"}, {"class2", "0"}}));
}

Tensor embeddings_of(const std::string& path) {
  const auto session = model_file::load<model_file::ClassifierSession>(path);
  return std::get<models::TextEncoder>(session.model.encoder).embedding.table.value;
}

class ClassificationPretrained : public testing::Test {
 protected:
  // A translator whose source vocabulary is that of the classifier.
  ClassificationPretrained() {
    train::TranslationOptions first = train::small(folder_);
    first.loop.model = translator_;
    first.data.vocabs[0] = folder_.path("words.vocab");
    first.loop.after = options::Period::updates(2);
    train::train(first);
    options_.pretrained.model = translator_;
    options_.pretrained.parts = {"model.encoder.*"};
    options_.loop.after = options::Period::updates(1);
    options_.schedule.learn_rate = 0;
  }

  Scratch folder_;
  std::string translator_ = folder_.path("translator.safetensors");
  ClassificationOptions options_ = small_classification(folder_);
};

TEST_F(ClassificationPretrained, StartsFromTheEncoderOfATranslator) {
  const test::CapturedLog told;
  train_classifier(options_);
  EXPECT_THAT(told.text(), HasSubstr("17 of 19 parameters from " + translator_));
  model_file::TranslatorSession from = model_file::load<model_file::TranslatorSession>(translator_);
  model_file::ClassifierSession to =
      model_file::load<model_file::ClassifierSession>(options_.loop.model);
  const auto theirs = nn::parameters_of(from.model);
  for (const auto& [name, p] : nn::parameters_of(to.model)) {
    if (!name.starts_with("model.encoder.")) continue;
    const auto same = std::ranges::find(theirs, name, &nn::NamedParameter::name);
    ASSERT_NE(same, theirs.end()) << name;
    EXPECT_TRUE(test::same_bits(same->parameter->value, p->value)) << name;
  }
}

// All of whose embeddings are one matrix.
TEST_F(ClassificationPretrained, TakesTheEmbeddingsThatATranslatorShares) {
  train::TranslationOptions tied = train::small(folder_);
  tied.loop.model = folder_.path("tied.safetensors");
  tied.data.vocabs = {folder_.path("words.vocab"), folder_.path("words.vocab")};
  tied.model.tied_embeddings_all = true;
  tied.loop.after = options::Period::updates(1);
  train::train(tied);
  options_.pretrained.model = tied.loop.model;
  train_classifier(options_);
  EXPECT_TRUE(test::same_bits(model_file::load<model_file::TranslatorSession>(tied.loop.model)
                                  .model.decoder.embedding.table.value,
                              embeddings_of(options_.loop.model)));
}

TEST_F(ClassificationPretrained, StartsFromAModelInInt8) {
  const model_file::TranslatorSession whole =
      model_file::load<model_file::TranslatorSession>(translator_);
  options_.pretrained.model = folder_.path("int8.safetensors");
  model_file::save_rounded(options_.pretrained.model, whole, model_file::Precision::kInt8);
  train_classifier(options_);
  const model_file::TranslatorSession rounded =
      model_file::load<model_file::TranslatorSession>(options_.pretrained.model);
  EXPECT_TRUE(
      test::same_bits(rounded.model.source.table.value, embeddings_of(options_.loop.model)));
}

TEST_F(ClassificationPretrained, StartsFromAnotherClassifier) {
  options_.pretrained = {};
  train_classifier(options_);
  ClassificationOptions next = small_classification(folder_, "--labels several");
  next.pretrained.model = options_.loop.model;
  next.loop.model = folder_.path("next.safetensors");
  const test::CapturedLog told;
  train_classifier(next);
  EXPECT_THAT(told.text(), HasSubstr("19 of 19 parameters from " + options_.loop.model));
}

TEST_F(ClassificationPretrained, NamesWhatDoesNotFit) {
  options_.model.encoder.dim_emb = 32;
  EXPECT_THAT(test::message_of<OptionError>([&] { train_classifier(options_); }),
              testing::AllOf(HasSubstr("translator.safetensors: "),
                             HasSubstr("options that differ: --dim-emb 16 (now 32)")));
  options_ = small_classification(folder_);
  options_.pretrained.model = translator_;
  EXPECT_THAT(test::message_of<OptionError>([&] { train_classifier(options_); }),
              testing::AllOf(HasSubstr("2 missing there: classifier.weight, classifier.bias"),
                             HasSubstr("superfluous: "), HasSubstr("--pretrained-parts")));
  options_.pretrained.parts = {"model.encoder.*"};
  options_.data.vocabs = {folder_.path("other.vocab")};
  folder_.file("other.vocab", "</s>\n<unk>\n<s>\nw1\n");
  EXPECT_THAT(test::message_of<OptionError>([&] { train_classifier(options_); }),
              HasSubstr("model.encoder.embed_tokens.weight belongs to another source vocabulary"));
}

}  // namespace
}  // namespace weft::tasks
