// Trainings that record metrics and events.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/tensors.h"
#include "tests/train/small_training.h"
#include "weft/formats/metrics_lines.h"
#include "weft/train/records/metrics_file.h"

namespace weft::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Reports after each third update, and validates after each fourth.
TranslationOptions recorded(const Scratch& folder) {
  TranslationOptions o = smaller(folder);
  const test::ToyText text = test::toy_text(2, 5);
  o.validation.valid_sets = {folder.file("valid.src", text.source),
                             folder.file("valid.trg", text.target)};
  o.validation.valid_metrics = {"cross-entropy", "bleu"};
  o.validation.valid_freq = options::Period::updates(4);
  o.loop.disp_freq = options::Period::updates(3);
  o.loop.records.metrics = folder.path("metrics.jsonl");
  o.loop.records.tensorboard = folder.path("tensorboard");
  return o;
}

std::vector<formats::MetricsLine> lines_of(const Scratch& folder) {
  return formats::read_metrics(folder.path("metrics.jsonl"));
}

TEST(Recording, ChangesNoByteOfTheModel) {
  for (const bool is_averaged : {false, true}) {
    const Scratch with, without;
    TranslationOptions first = recorded(with), second = recorded(without);
    second.loop.records = {};
    for (TranslationOptions* o : {&first, &second}) {
      if (!is_averaged) continue;
      o->loop.average_checkpoints = 2;
      o->loop.save_freq = options::Period::updates(2);
      o->optimizer.exponential_smoothing = 0.01;
    }
    train(first);
    train(second);
    EXPECT_TRUE(model_bytes(with) == model_bytes(without)) << is_averaged;
    EXPECT_FALSE(std::filesystem::exists(without.path("metrics.jsonl")));
    EXPECT_FALSE(std::filesystem::exists(without.path("tensorboard")));
  }
}

TEST(Recording, IsOfOneTrainingAtATime) {
  const Scratch folder;
  const TranslationOptions first = recorded(folder);
  TranslationOptions second = first;
  second.loop.model = folder.path("other.safetensors");
  second.loop.records.tensorboard.clear();
  second.loop.records.metrics = folder.path("./metrics.jsonl");
  second.loop.overwrite = true;
  {
    const Trainer running(task_of(first));
    const std::string metrics = test::read_bytes(first.loop.records.metrics);
    EXPECT_THAT(message_of(second),
                HasSubstr("metrics.jsonl.lock: another process is writing these metrics; hint: "));
    EXPECT_EQ(test::read_bytes(first.loop.records.metrics), metrics);
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path("metrics.jsonl.lock")));
  train(second);
}

TEST(Recording, HoldsEveryReportAndValidation) {
  const Scratch folder;
  const std::vector<UpdateReport> reports = reports_of(recorded(folder));
  const std::vector<formats::MetricsLine> lines = lines_of(folder);
  std::vector<std::string> kinds;
  for (const formats::MetricsLine& line : lines) {
    kinds.push_back(line.kind + " " + std::to_string(line.update));
  }
  EXPECT_THAT(kinds,
              ElementsAre("start 0", "update 3", "validation 4", "update 6", "validation 8"));
  EXPECT_EQ(lines[1].values.at("loss"), reports[2].loss);
  EXPECT_EQ(lines[1].values.at("gradient_norm"), reports[2].gradient_norm);
  EXPECT_GT(lines[1].values.at("memory.resident"), 0);
  EXPECT_GT(lines[2].values.at("metrics.cross-entropy"), 0);
  // The parts make up the whole gradient.
  double squares = 0;
  for (const auto& [name, value] : lines[1].values) {
    if (name.starts_with("gradient_norms.")) squares += value * value;
  }
  EXPECT_NEAR(std::sqrt(squares), reports[2].gradient_norm, 1e-6);
  EXPECT_TRUE(lines[1].values.contains("gradient_norms.model.encoder.layers.1"));
}

TEST(Recording, OverwriteStartsOver) {
  const Scratch folder;
  TranslationOptions o = recorded(folder);
  train(o);
  o.loop.overwrite = true;
  o.loop.after = options::Period::updates(3);
  train(o);
  EXPECT_EQ(lines_of(folder).size(), 3u);  // a start, a report, a validation at the end
}

TEST(Recording, BeginsWhenATrainingGoesOn) {
  const Scratch folder;
  TranslationOptions o = recorded(folder);
  const RecordOptions records = o.loop.records;
  o.loop.records = {};
  train(o);
  o.loop.after = options::Period::updates(12);
  o.loop.records = records;
  train(o);
  EXPECT_EQ(lines_of(folder).at(1).update, 9);
}

TEST(Recording, FilesOfOthersAreNotReplaced) {
  const Scratch folder;
  TranslationOptions o = recorded(folder);
  folder.file("metrics.jsonl", "text");
  EXPECT_THAT(message_of(o), HasSubstr("metrics.jsonl: exists, and this training has not begun"));
  EXPECT_EQ(test::read_bytes(folder.path("metrics.jsonl")), "text");
  o.loop.records.metrics = "";
  folder.file("tensorboard", "text");
  EXPECT_THAT(message_of(o), HasSubstr("tensorboard is not a folder"));
  EXPECT_FALSE(std::filesystem::exists(folder.path(test::kToyState)));
}

// Another process started with the options of this one, or this one with those of another.
TEST(Recording, AResumedTrainingDoesNotTakeTheFilesOfAnother) {
  const Scratch folder, other;
  TranslationOptions o = recorded(folder), theirs = recorded(other);
  theirs.loop.seed = 5;
  train(o);
  train(theirs);
  o.loop.after = options::Period::updates(12);
  o.loop.records.metrics = theirs.loop.records.metrics;
  EXPECT_THAT(message_of(o), HasSubstr("holds the metrics of another training"));
  o.loop.records = {.metrics = "", .tensorboard = theirs.loop.records.tensorboard};
  EXPECT_THAT(message_of(o), HasSubstr("an event file of another training"));
  EXPECT_EQ(lines_of(other).size(), 5u);
}

}  // namespace
}  // namespace weft::train
