// Taggers that start from a pretrained encoder, or go on from a tagger.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/tensors.h"
#include "tests/tasks/resumption.h"
#include "tests/tasks/tagging/small_tagging.h"
#include "tests/train/small_training.h"
#include "weft/core/error.h"

namespace weft::tasks {
namespace {

using test::Scratch;

constexpr const char* kEncoder =
    "--enc-depth 2 --position learned --embedding-norm true --embedding-scale 1 --begin-symbol "
    "true --after 2u ";

TaggingOptions tagger_tuning(const Scratch& folder, const std::string& flags = "") {
  TaggingOptions base = small_tagging(folder, kEncoder);
  base.loop.model = folder.path("pretrained.safetensors");
  if (!std::filesystem::exists(base.loop.model)) train_tagger(base);
  TaggingOptions o;
  test::set(
      o,
      "--lr-warmup 4 --mini-batch-words 150 --after 6u --word-labels 1 2 --text-labels 3 " + flags);
  o.start.from = base.loop.model;
  o.loop.model = folder.path("model.safetensors");
  o.data.train_sets = base.data.train_sets;
  o.validation.valid_sets = base.validation.valid_sets;
  return o;
}

TEST(TaggingStart, GoesOnAsIfNeverStopped) {
  for (const std::string flags :
       {"", "--new-head true --crf spans --layer-decay 0.9 --head-rate-factor 3",
        "--new-head true --char-encoder cnn --freeze-layers 0"}) {
    expect_resumes<Tagging>(tagger_tuning, flags, 2);
  }
}

TEST(TaggingStart, TakesTheWholeTaggerUnlessAskedNotTo) {
  const Scratch folder;
  const TaggingOptions o = tagger_tuning(folder, "--learn-rate 1e-30");
  train_tagger(o);
  const auto base = model_file::load<model_file::TaggerSession>(o.start.from);
  const auto tuned = model_file::load<model_file::TaggerSession>(o.loop.model);
  EXPECT_LT(test::distance(base.parameters, tuned.parameters), 1e-20);
  TaggingOptions other = tagger_tuning(folder, "--learn-rate 1e-30 --new-head true --seed 5");
  other.loop.model = folder.path("other.safetensors");
  train_tagger(other);
  auto with_head = model_file::load<model_file::TaggerSession>(other.loop.model);
  auto theirs = base;
  const auto parameters = nn::parameters_of(theirs.model);
  for (const auto& [name, p] : nn::parameters_of(with_head.model)) {
    const auto found = std::ranges::find(parameters, name, &nn::NamedParameter::name);
    const double distance = test::distance(found->parameter->value, p->value);
    if (name.starts_with("model.")) {
      EXPECT_LT(distance, 1e-20) << name;
    }
    if (name.ends_with("out_proj.weight") && name.starts_with("tagger.")) {
      EXPECT_GT(distance, 1e-3) << name;
    }
  }
}

TEST(TaggingStart, RefusesWhatContradictsTheTagger) {
  const Scratch folder;
  const auto message = [&](const std::string& flags) {
    return test::message_of<OptionError>([&] { train_tagger(tagger_tuning(folder, flags)); });
  };
  EXPECT_EQ(message("--enc-depth 3"),
            "--enc-depth: is not read with --from; expected its default, 2");
  EXPECT_EQ(message("--crf all"),
            "--crf: the model of --from has none; expected the same, or --new-head; got all");
  TaggingOptions fewer = tagger_tuning(folder);
  fewer.labels = {.word_labels = {1}, .text_labels = {3}};
  EXPECT_EQ(test::message_of<OptionError>([&] { train_tagger(fewer); }),
            "--word-labels: the model gives 2 labels to a word and 1 to a text; expected as many "
            "fields here and in --text-labels, got 1 and 1");
  TaggingOptions o = tagger_tuning(folder);
  o.data.train_sets = {folder.file("other.tsv", "w1\tB-X\tK1\tintent1\n")};
  EXPECT_EQ(test::message_of<FormatError>([&] { train_tagger(o); }),
            o.data.train_sets.front() +
                ": the label 'B-X' is none of the 5 of --from; hint: --new-head takes the encoder "
                "alone and learns the labels of the training text");
}

}  // namespace
}  // namespace weft::tasks
