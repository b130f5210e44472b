// When a training validates first, and the model of one that is stopped before.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "tests/support/captured_log.h"
#include "tests/train/small_training.h"
#include "weft/formats/safetensors.h"

namespace weft::train {
namespace {

using testing::HasSubstr;
using testing::Not;

// Some 12 updates an epoch; --valid-freq is 1000.
TranslationOptions validated(const Scratch& folder) {
  TranslationOptions o = small(folder);
  o.validation.valid_sets = o.data.train_sets;
  o.loop.after = options::Period::epochs(3);
  return o;
}

// Stops after `updates` updates.
Ending train_until(const TranslationOptions& options, int64_t updates) {
  std::atomic<bool> stop{false};
  return Trainer(task_of(options)).run(stop, [&](const UpdateReport& report) {
    stop = report.progress.updates == updates;
  });
}

std::string log_of(const TranslationOptions& options) {
  const test::CapturedLog told;
  train(options);
  return told.text();
}

TEST(FirstValidation, IsAfterTheFirstEpochAtTheLatest) {
  const Scratch folder;
  TranslationOptions o = validated(folder);
  o.loop.overwrite = true;
  std::vector<UpdateReport> reports;
  train(o, &reports);
  const auto updates_with = [&](int64_t epochs) {
    return std::ranges::count_if(
               reports,
               [&](const UpdateReport& report) { return report.progress.epochs < epochs; }) +
           1;
  };
  const std::string first = fmt::format("validation at update {}:", updates_with(1)),
                    second = fmt::format("validation at update {}:", updates_with(2)),
                    last = fmt::format("validation at update {}:", updates_with(3));
  EXPECT_THAT(log_of(o), testing::AllOf(HasSubstr(first), Not(HasSubstr(second)), HasSubstr(last)));
  o.validation.valid_first = options::Period::epochs(2);
  EXPECT_THAT(log_of(o), testing::AllOf(Not(HasSubstr(first)), HasSubstr(second), HasSubstr(last)));
  o.validation.valid_first = options::Period::updates(0);
  EXPECT_THAT(log_of(o),
              testing::AllOf(Not(HasSubstr(first)), Not(HasSubstr(second)), HasSubstr(last)));
}

TEST(FirstValidation, IsThatOfTheFrequencyWhereItIsSooner) {
  ValidationOptions often, never;
  often.valid_freq = options::Period::updates(5);
  never.valid_freq = options::Period::updates(0);
  EXPECT_TRUE(often.is_due({.updates = 4}, {.updates = 5}));
  EXPECT_FALSE(often.is_due({.updates = 6}, {.updates = 7, .epochs = 1}));
  EXPECT_TRUE(often.is_due({.updates = 3}, {.updates = 4, .epochs = 1}));
  EXPECT_FALSE(never.is_due({.updates = 6}, {.updates = 7, .epochs = 1}));
}

TEST(Stopping, WritesAModelBeforeTheFirstValidation) {
  const Scratch folder, whole;
  const TranslationOptions o = validated(folder);
  EXPECT_EQ(train_until(o, 2), Ending::kStopped);
  EXPECT_EQ(model_file::load<model_file::TranslatorSession>(o.loop.model).model.dims.source_vocab,
            15);
  EXPECT_EQ(train(o), Ending::kFinished);
  EXPECT_EQ(train(validated(whole)), Ending::kFinished);
  EXPECT_TRUE(model_bytes(folder) == model_bytes(whole));
}

TEST(Stopping, WritesAModelWithoutValidationAndKeepsTheBestWithIt) {
  const Scratch folder, validating;
  EXPECT_EQ(train_until(small(folder), 3), Ending::kStopped);
  EXPECT_TRUE(std::filesystem::exists(folder.path("model.safetensors")));
  TranslationOptions o = validated(validating);
  o.validation.valid_freq = options::Period::updates(2);
  o.schedule.warmup = 0, o.schedule.kind = Constant();
  o.schedule.learn_rate = 1;  // every update makes it worse
  EXPECT_EQ(train_until(o, 2), Ending::kStopped);
  const std::string best = model_bytes(validating);
  EXPECT_EQ(train_until(o, 3), Ending::kStopped);
  EXPECT_TRUE(model_bytes(validating) == best);
}

// All weights of a training state become not a number.
void spoil(const std::string& path) {
  formats::NamedTensors tensors;
  std::map<std::string, std::string> metadata;
  {
    const formats::SafetensorsFile file(path);
    metadata = file.metadata();
    for (const std::string& name : file.names()) {
      Tensor x = file.tensor(name).clone();
      if (name == "weights") std::fill_n(x.data<float>(), x.size(), std::nanf(""));
      tensors.emplace_back(name, x);
    }
  }
  formats::save_safetensors(path, tensors, metadata, {}, formats::WithChecksum::kYes);
}

// As without the stop, the model is that of the last update.
TEST(Stopping, LeavesNoOldModelWhereNoValidationChooses) {
  const Scratch folder;
  TranslationOptions o = validated(folder);
  o.loop.max_skipped = 100;
  EXPECT_EQ(train_until(o, 1), Ending::kStopped);
  const std::string stopped = model_bytes(folder);
  spoil(folder.path(test::kToyState));
  const test::CapturedLog told;
  EXPECT_EQ(train(o), Ending::kFinished);
  EXPECT_THAT(told.warnings(), HasSubstr("no validation has chosen a model: "));
  EXPECT_FALSE(model_bytes(folder) == stopped);
}

}  // namespace
}  // namespace weft::train
