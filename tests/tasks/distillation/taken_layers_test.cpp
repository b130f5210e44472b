// Models with some of the layers of another one.
#include "weft/tasks/distillation/taken_layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/tensors.h"
#include "tests/tasks/classification/small_classification.h"
#include "tests/tasks/tagging/small_tagging.h"
#include "weft/core/error.h"

namespace weft::tasks {
namespace {

using test::Scratch;
using testing::HasSubstr;

// A model of four layers in the folder.
std::string deep_classifier(const Scratch& folder, const std::string& flags = "") {
  ClassificationOptions o = small_classification(folder, "--enc-depth 4 --after 2u " + flags);
  o.loop.model = folder.path("deep.safetensors");
  if (!std::filesystem::exists(o.loop.model)) train_classifier(o);
  return o.loop.model;
}

ClassificationOptions taking(const Scratch& folder, const std::string& flags) {
  ClassificationOptions o;
  test::set(o, "--lr-warmup 4 --mini-batch-words 150 --after 1u --learn-rate 1e-30 " + flags);
  o.start.from = deep_classifier(folder);
  o.loop.model = folder.path("student.safetensors");
  o.data.train_sets = {folder.file("train.tsv", test::one_label_text(1, 100))};
  return o;
}

// Whether the second model has layers 1 and 3 of the first, and all else of it that it names.
template <class Session>
void expect_layers_1_and_3(const std::string& from, const std::string& to,
                           const std::string& parts) {
  auto deep = model_file::load<Session>(from);
  auto student = model_file::load<Session>(to);
  const auto theirs = nn::parameters_of(deep.model);
  EXPECT_EQ(student.model.options.encoder.enc_depth, 2);
  for (const auto& [name, p] : nn::parameters_of(student.model)) {
    if (!name.starts_with(parts)) continue;
    std::string before = name;
    const size_t found = name.find(".layers.");
    if (found != name.npos) before[found + 8] = name[found + 8] == '0' ? '1' : '3';
    const auto other = std::ranges::find(theirs, before, &nn::NamedParameter::name);
    ASSERT_NE(other, theirs.end()) << before;
    EXPECT_LT(test::distance(other->parameter->value, p->value), 1e-20) << name;
  }
}

TEST(TakenLayers, AreThoseNamed) {
  const Scratch folder;
  const ClassificationOptions o = taking(folder, "--take-layers 1 3");
  train_classifier(o);
  expect_layers_1_and_3<model_file::ClassifierSession>(o.start.from, o.loop.model, "");
  ClassificationOptions encoder = taking(folder, "--take-layers 1 3 --new-head true");
  encoder.loop.model = folder.path("encoder.safetensors");
  train_classifier(encoder);
  expect_layers_1_and_3<model_file::ClassifierSession>(o.start.from, encoder.loop.model, "model.");
}

TEST(TakenLayers, OfATagger) {
  const Scratch folder;
  TaggingOptions deep = small_tagging(folder, "--enc-depth 4 --after 2u --crf spans");
  deep.loop.model = folder.path("deep.safetensors");
  train_tagger(deep);
  TaggingOptions o;
  test::set(o,
            "--lr-warmup 4 --mini-batch-words 150 --after 1u --learn-rate 1e-30 --word-labels 1 2 "
            "--text-labels 3 --take-layers 1 3");
  o.start.from = deep.loop.model;
  o.loop.model = folder.path("student.safetensors");
  o.data.train_sets = deep.data.train_sets;
  train_tagger(o);
  expect_layers_1_and_3<model_file::TaggerSession>(deep.loop.model, o.loop.model, "");
}

TEST(TakenLayers, RefusesWhatIsNotThere) {
  const Scratch folder;
  const auto message = [&](const std::string& flags) {
    return test::message_of<OptionError>([&] { train_classifier(taking(folder, flags)); });
  };
  EXPECT_EQ(message("--take-layers 0 4"),
            "--take-layers: 4; the model of --from has layers 0 to 3");
  EXPECT_EQ(message("--take-layers 2 1"),
            "--take-layers: 1 after 2; expected ascending layers, each once");
  EXPECT_EQ(message("--take-layers 1 1"),
            "--take-layers: 1 after 1; expected ascending layers, each once");
  ClassificationOptions o = small_classification(folder, "--take-layers 0");
  EXPECT_EQ(test::message_of<OptionError>([&] { o.validate(); }),
            "--take-layers: needs --from, a model of more layers");
}

TEST(TakenLayers, RefusesLayersThatGoByTheirNumber) {
  models::EncoderOptions o;
  const std::vector<int64_t> layers = {1, 2};
  const auto message = [&](const std::string& flags) {
    models::EncoderOptions options;
    test::set(options, flags);
    return test::message_of<OptionError>([&] { take_layers(options, layers); });
  };
  EXPECT_THAT(message("--enc-depth 4 --type rnn"), HasSubstr("has --type rnn"));
  EXPECT_THAT(message("--enc-depth 4 --tied-layers 1 1 3 3"), HasSubstr("has --tied-layers"));
  EXPECT_THAT(message("--enc-depth 4 --prune-heads encoder.1.1"), HasSubstr("has --prune-heads"));
}

}  // namespace
}  // namespace weft::tasks
