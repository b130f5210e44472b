// Training metrics that are recorded, and the curves of weft plot.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "tests/e2e/program.h"
#include "tests/e2e/training.h"
#include "tests/support/scratch.h"
#include "tests/support/xml.h"
#include "weft/formats/tfrecord.h"
#include "weft/train/records/event.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

// The lines of metrics.jsonl, without what depends on time and memory.
std::vector<std::string> lines_in(const Scratch& folder) {
  std::istringstream text(read_bytes(folder.path("metrics.jsonl")));
  std::vector<std::string> out;
  for (std::string line; std::getline(text, line);) {
    auto json = nlohmann::json::parse(line);
    for (const char* key : {"seconds", "targets_per_second", "memory", "options"}) json.erase(key);
    out.push_back(json.dump());
  }
  return out;
}

// The steps of the events in the folder "events" that are no start of a file.
std::vector<int64_t> steps_in(const Scratch& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path("events"))) {
    paths.push_back(entry.path().string());
  }
  std::ranges::sort(paths);
  std::vector<int64_t> out;
  for (const std::string& path : paths) {
    const std::string bytes = read_bytes(path);
    for (formats::TfrecordReader in(bytes); in.next();) {
      constexpr size_t kSmall = 40;  // a version, or a SessionLog
      if (in.data().size() > kSmall) out.push_back(train::step_of(in.data(), path));
    }
  }
  return out;
}

class Recording : public testing::Test {
 protected:
  void SetUp() override {
    write_toy_text(folder_);
    write_toy_text(reference_);
    options_ = words_of(
        "--save-freq 7u --valid-freq 10u --valid-metrics cross-entropy bleu "
        "--valid-sets valid.src valid.trg --metrics metrics.jsonl --tensorboard events");
  }

  std::vector<std::string> command(int updates, const std::string& reports = "3") const {
    std::vector<std::string> args = toy_training(updates, options_);
    *(std::ranges::find(args, "--disp-freq") + 1) = reports;
    return weft_command(args);
  }
  ProcessResult finish(const Scratch& folder, int updates) const {
    return run_process(command(updates), {.folder = folder.folder()});
  }

  Scratch folder_, reference_;
  std::vector<std::string> options_;
};

TEST_F(Recording, KilledAtAnyTimeItEndsWithTheSameLines) {
  RandomStream random(13, 0);
  for (int attempt = 0; attempt < 6; ++attempt) {
    Process training(command(kEndless), {.folder = folder_.folder()});
    const bool has_started = attempt % 3 != 0;  // else it may still be starting
    if (has_started) {
      ASSERT_TRUE(training.wait_for_error_text("0 loss"));
    }
    std::this_thread::sleep_for(
        std::chrono::milliseconds(has_started ? random.below(30) : 50 + random.below(300)));
    training.send(SIGKILL);
    training.wait();
  }
  const int updates = updates_done(folder_) + 15;
  const ProcessResult rest = finish(folder_, updates);
  ASSERT_EQ(rest.status, 0) << rest.errors;
  EXPECT_THAT(rest.errors, HasSubstr("resuming from"));
  ASSERT_EQ(finish(reference_, updates).status, 0);
  EXPECT_EQ(lines_in(folder_), lines_in(reference_));
  EXPECT_EQ(steps_in(folder_), steps_in(reference_));
  EXPECT_TRUE(read_bytes(folder_.path("model.safetensors")) ==
              read_bytes(reference_.path("model.safetensors")));
}

TEST_F(Recording, AFullDiskIsAnErrorThatNamesTheFile) {
  ASSERT_EQ(finish(folder_, 20).status, 0);
  const auto lines = lines_in(folder_);
  options_ = words_of("--save-freq 0 --metrics metrics.jsonl");
  std::vector<std::string> limited = {"/bin/bash", "-c", "ulimit -f 40; exec \"$0\" \"$@\""};
  for (const std::string& word : command(kEndless, "1")) limited.push_back(word);
  const ProcessResult result = run_process(limited, {.folder = folder_.folder()});
  EXPECT_EQ(result.status, 1) << result.signal;
  EXPECT_THAT(result.errors, HasSubstr("metrics.jsonl: cannot write: File too large"));
  ASSERT_EQ(finish(folder_, 20).status, 0);
  EXPECT_EQ(lines_in(folder_), lines);
}

TEST_F(Recording, PathsThatCannotBeWrittenAreErrors) {
  folder_.file("file", "text");
  const auto message = [&](const std::string& option, const std::string& path) {
    const ProcessResult result =
        run_weft(toy_training(5, {option, path}), {.folder = folder_.folder()});
    EXPECT_NE(result.status, 0) << path;
    EXPECT_FALSE(std::filesystem::exists(folder_.path(kToyState)));
    return result.errors;
  };
  EXPECT_THAT(message("--metrics", "none/metrics.jsonl"), HasSubstr("none/metrics.jsonl: cannot"));
  EXPECT_THAT(message("--metrics", "file"), HasSubstr("file: exists"));
  EXPECT_THAT(message("--metrics", "train.src"), HasSubstr("--metrics"));
  EXPECT_THAT(message("--metrics", "model.safetensors"), HasSubstr("also the output of"));
  EXPECT_THAT(message("--tensorboard", "file"), HasSubstr("file is not a folder"));
  EXPECT_THAT(message("--tensorboard", "file/events"), HasSubstr("file is not a folder"));
}

TEST_F(Recording, IsPlotted) {
  ASSERT_EQ(finish(folder_, 20).status, 0);
  std::filesystem::copy(folder_.path("metrics.jsonl"), folder_.path("a<b>.jsonl"));
  const auto plot = [&](const std::string& args) {
    return run_weft(words_of("plot " + args), {.folder = folder_.folder()});
  };
  ASSERT_EQ(plot("metrics.jsonl a<b>.jsonl -o curve.svg").status, 0);
  const std::string svg = read_bytes(folder_.path("curve.svg"));
  expect_well_formed(svg);
  for (const char* title : {"loss", "valid.cross-entropy", "valid.bleu"}) {
    EXPECT_EQ(count(svg, std::string(">") + title + "</text>"), 1) << title;
  }
  EXPECT_EQ(count(svg, ">metrics</text>"), 3);
  EXPECT_EQ(count(svg, ">a&lt;b&gt;</text>"), 3);

  ASSERT_EQ(plot("metrics.jsonl -o one.svg --series gradient_norms memory.peak").status, 0);
  const std::string one = read_bytes(folder_.path("one.svg"));
  expect_well_formed(one);
  EXPECT_EQ(count(one, ">model.encoder.layers.0</text>"), 1);
  EXPECT_EQ(count(one, ">memory.peak</text>"), 1);

  const ProcessResult unknown = plot("metrics.jsonl -o two.svg --series los");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.errors, HasSubstr("did you mean loss?"));
  const ProcessResult foreign = plot("metrics.jsonl train.src -o two.svg");
  EXPECT_EQ(foreign.status, 1);
  EXPECT_THAT(foreign.errors, HasSubstr("train.src:1: not a line of training metrics"));
  EXPECT_EQ(plot("none.jsonl -o two.svg").status, 1);
  EXPECT_EQ(plot("metrics.jsonl -o metrics.jsonl").status, 2);
  EXPECT_FALSE(std::filesystem::exists(folder_.path("two.svg")));
}

}  // namespace
}  // namespace weft::test
