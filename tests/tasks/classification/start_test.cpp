// Classifiers that start from a pretrained encoder, or go on from a classifier.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/tensors.h"
#include "tests/tasks/classification/small_classification.h"
#include "tests/tasks/resumption.h"
#include "tests/tasks/tagging/small_tagging.h"
#include "tests/train/small_training.h"
#include "weft/core/error.h"
#include "weft/formats/safetensors.h"

namespace weft::tasks {
namespace {

using test::Scratch;
using testing::HasSubstr;

// A tagger whose encoder is shaped as BERT's.
std::string small_pretrained(const Scratch& folder) {
  TaggingOptions o = small_tagging(
      folder,
      "--enc-depth 2 --position learned --embedding-norm true --embedding-scale 1 --token-types 2 "
      "--begin-symbol true --transformer-ffn-activation gelu --after 2u");
  o.loop.model = folder.path("pretrained.safetensors");
  if (!std::filesystem::exists(o.loop.model)) train_tagger(o);
  return o.loop.model;
}

ClassificationOptions classifier_tuning(const Scratch& folder, const std::string& flags = "") {
  ClassificationOptions o;
  test::set(o, "--lr-warmup 4 --mini-batch-words 150 --after 6u " + flags);
  o.start.from = small_pretrained(folder);
  o.loop.model = folder.path("model.safetensors");
  o.data.train_sets = {folder.file("train.tsv", test::one_label_text(1, 100))};
  o.validation.valid_sets = {folder.file("valid.tsv", test::one_label_text(2, 40))};
  return o;
}

model_file::ClassifierSession classifier_in(const ClassificationOptions& o) {
  return model_file::load<model_file::ClassifierSession>(o.loop.model);
}

// The largest difference of the parameters whose names start so.
double change(const ClassificationOptions& o, const std::string& prefix) {
  auto tagger = model_file::load<model_file::TaggerSession>(o.start.from);
  auto session = classifier_in(o);
  double out = 0;
  for (const auto& [name, theirs] : nn::parameters_of(tagger.model)) {
    for (const auto& [ours, p] : nn::parameters_of(session.model)) {
      if (name == ours && name.starts_with(prefix)) {
        out = std::max(out, test::distance(p->value, theirs->value));
      }
    }
  }
  return out;
}

TEST(ClassificationStart, TakesShapeVocabularyAndWeightsOfAnEncoder) {
  const Scratch folder;
  const ClassificationOptions o =
      classifier_tuning(folder, "--learn-rate 1e-30 --transformer-dropout 0.25");
  train_classifier(o);
  const auto tagger = model_file::load<model_file::TaggerSession>(o.start.from);
  const auto session = classifier_in(o);
  EXPECT_LT(change(o, "model.encoder."), 1e-20);
  EXPECT_EQ(session.text.tokeniser->serialise(), tagger.tokeniser().serialise());
  const models::ClassifierOptions& found = session.model.options;
  EXPECT_EQ(found.encoder.enc_depth, 2);
  EXPECT_EQ(found.encoder.transformer.dropout, 0.25);
  EXPECT_EQ(found.text_encoder().embedding.token_types, 2);
  EXPECT_EQ(session.labels().size(), 3);
}

TEST(ClassificationStart, GoesOnAsIfNeverStopped) {
  for (const std::string flags : {"", "--layer-decay 0.8 --head-rate-factor 5",
                                  "--freeze-layers 1 --optimizer adamw --pooling first"}) {
    expect_resumes<Classification>(classifier_tuning, flags, 2);
  }
}

TEST(ClassificationStart, KeepsFrozenLayersWithoutMoments) {
  const Scratch folder;
  const ClassificationOptions o = classifier_tuning(folder, "--freeze-layers 1 --learn-rate 0.01");
  train_classifier(o);
  EXPECT_EQ(change(o, "model.encoder.embed"), 0);
  EXPECT_EQ(change(o, "model.encoder.layernorm_embedding"), 0);
  EXPECT_EQ(change(o, "model.encoder.layers.0."), 0);
  EXPECT_GT(change(o, "model.encoder.layers.1."), 1e-4);
  auto session = classifier_in(o);
  int64_t trained = 0;
  for (const auto& [name, p] : nn::parameters_of(session.model)) {
    const bool is_trained = name.find(".layers.1.") != name.npos || !name.starts_with("model.");
    trained += is_trained ? p->shape.size() : 0;
  }
  const formats::SafetensorsFile state(folder.path("model.training.safetensors"));
  EXPECT_EQ(state.tensor("adam.first").size(), trained);
}

TEST(ClassificationStart, GoesOnFromAClassifierWithItsHead) {
  const Scratch folder;
  ClassificationOptions o = classifier_tuning(folder, "--pooling first");
  train_classifier(o);
  const auto first = classifier_in(o);
  ClassificationOptions next = classifier_tuning(folder, "--learn-rate 1e-30");
  next.start.from = o.loop.model;
  next.loop.model = folder.path("next.safetensors");
  train_classifier(next);
  const auto second = classifier_in(next);
  EXPECT_LT(test::distance(first.parameters, second.parameters), 1e-20);
  EXPECT_EQ(second.labels().names(), first.labels().names());
  EXPECT_TRUE(second.model.options.pools_first());
}

TEST(ClassificationStart, RefusesLabelsThatTheHeadLacks) {
  const Scratch folder;
  ClassificationOptions o = classifier_tuning(folder);
  train_classifier(o);
  ClassificationOptions next = classifier_tuning(folder);
  next.start.from = o.loop.model;
  next.loop.model = folder.path("next.safetensors");
  next.data.train_sets = {folder.file("other.tsv", "class0\tw1\nclass9\tw2\n")};
  EXPECT_EQ(test::message_of<FormatError>([&] { train_classifier(next); }),
            next.data.train_sets.front() + ": the label 'class9' is none of the 3 of " +
                next.start.from +
                "; hint: --new-head takes the encoder alone and learns the labels of the training "
                "text");
  next.start.new_head = true;
  next.validation.valid_sets = next.data.train_sets;
  train_classifier(next);
  EXPECT_THAT(classifier_in(next).labels().names(),
              testing::UnorderedElementsAre("class0", "class9"));
}

TEST(ClassificationStart, RefusesOptionsThatContradictTheModel) {
  const Scratch folder;
  const auto message = [&](const std::string& flags) {
    return test::message_of<OptionError>(
        [&] { train_classifier(classifier_tuning(folder, flags)); });
  };
  EXPECT_EQ(message("--dim-emb 32"),
            "--dim-emb: is not read with --from; expected its default, 256");
  EXPECT_EQ(message("--vocabs x.vocab"),
            "--vocabs: is not read with --from; expected its default, none");
  EXPECT_EQ(message("--pretrained-model x"),
            "--pretrained-model: is not read with --from; expected its default, none");
  EXPECT_EQ(message("--freeze-layers 3"),
            "--freeze-layers: expected at most 2, the layers of model.encoder, got 3");
  ClassificationOptions o = classifier_tuning(folder);
  o.start = {.from = "", .new_head = true};
  EXPECT_EQ(test::message_of<OptionError>([&] { o.validate(); }),
            "--new-head: needs --from, a model whose encoder is taken");
  o.start = {};
  EXPECT_EQ(test::message_of<OptionError>([&] { o.validate(); }),
            "--vocabs: expected one vocabulary, that of the text, or --from; got 0");
}

TEST(ClassificationStart, RefusesAnotherHeadThanTheModelHas) {
  const Scratch folder;
  ClassificationOptions o = classifier_tuning(folder, "--pooling first");
  train_classifier(o);
  const auto message = [&](const std::string& flags) {
    ClassificationOptions next = classifier_tuning(folder, flags);
    next.start.from = o.loop.model;
    next.loop.model = folder.path("next.safetensors");
    return test::message_of<OptionError>([&] { train_classifier(next); });
  };
  EXPECT_EQ(message("--pooling max"),
            "--pooling: the model of --from has first; expected the same, or --new-head; got max");
  EXPECT_EQ(message("--labels several"),
            "--labels: the model of --from has one; expected the same, or --new-head; got several");
}

TEST(ClassificationStart, RefusesModelsWithoutAnEncoderOfText) {
  const Scratch folder;
  ClassificationOptions o = classifier_tuning(folder);
  train::TranslationOptions translator = train::smaller(folder);
  train::train(translator);
  o.start.from = translator.loop.model;
  o.loop.model = folder.path("classifier.safetensors");
  EXPECT_THAT(test::message_of<OptionError>([&] { train_classifier(o); }),
              HasSubstr("is a model of type 'seq2seq'; expected an embedder, a classifier of "
                        "text, a tagger or a masked language model; hint: --pretrained-model"));
}

}  // namespace
}  // namespace weft::tasks
