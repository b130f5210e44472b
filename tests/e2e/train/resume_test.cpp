// Training that is killed, stopped or run twice: a resumed run gives the same bytes as an
// uninterrupted one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <thread>

#include "tests/e2e/program.h"
#include "tests/e2e/training.h"
#include "tests/support/scratch.h"

namespace weft::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr int kUpdates = 45;

class Resume : public testing::Test {
 protected:
  void SetUp() override {
    write_toy_text(folder_);
    write_toy_text(reference_);
    for (const char* more : {"--save-freq", "7u", "--average-checkpoints", "3",
                             "--exponential-smoothing", "0.01", "--optimizer-delay", "2",
                             "--valid-freq", "10u", "--valid-metrics", "cross-entropy", "bleu"}) {
      options_.emplace_back(more);
    }
    options_.insert(options_.end(), {"--valid-sets", "valid.src", "valid.trg"});
  }

  ProcessResult finish(const Scratch& folder, int updates = kUpdates) const {
    return run_weft(toy_training(updates, options_), {.folder = folder.folder()});
  }
  Process start_endless() const {
    return Process(weft_command(toy_training(kEndless, options_)), {.folder = folder_.folder()});
  }
  void expect_to_end_as_if_never_interrupted() const {
    test::expect_to_end_as_if_never_interrupted(
        folder_, reference_, updates_done(folder_) + 15,
        [&](const Scratch& folder, int updates) { return finish(folder, updates); });
  }

  Scratch folder_, reference_;
  std::vector<std::string> options_;
};

TEST_F(Resume, KilledAtAnyTimeItEndsWithTheSameBytes) {
  RandomStream random(11, 0);
  for (int attempt = 0; attempt < 6; ++attempt) {
    Process training = start_endless();
    const bool has_started = attempt % 3 != 0;  // else it may still be starting
    if (has_started) {
      ASSERT_TRUE(training.wait_for_error_text("0 loss"));
    }
    std::this_thread::sleep_for(
        std::chrono::milliseconds(has_started ? random.below(30) : 50 + random.below(300)));
    training.send(SIGKILL);
    EXPECT_EQ(training.wait().signal, SIGKILL);
  }
  Process training = start_endless();
  ASSERT_TRUE(training.wait_for_error_text("0 loss"));
  training.send(SIGKILL);
  training.wait();
  expect_to_end_as_if_never_interrupted();
}

TEST_F(Resume, StoppedByASignalItSavesAndResumes) {
  for (const int signal : {SIGTERM, SIGINT}) {
    Process training = start_endless();
    ASSERT_TRUE(training.wait_for_error_text("0 loss"));
    training.send(signal);
    const ProcessResult stopped = training.wait();
    EXPECT_EQ(stopped.status, 128 + signal);
    EXPECT_THAT(stopped.errors, HasSubstr("the same command goes on from here"));
    EXPECT_THAT(stopped.errors,
                testing::ContainsRegex("model.safetensors has the averaged weights of update "
                                       "[0-9]+(, which no validation has measured|, the best in "
                                       "validation so far \\([0-9.]+\\)); "
                                       "model.training.safetensors the state of update [0-9]+\n"));
    EXPECT_TRUE(std::filesystem::exists(folder_.path("model.safetensors")));
    EXPECT_FALSE(std::filesystem::exists(folder_.path("model.safetensors.lock")));
  }
  expect_to_end_as_if_never_interrupted();
}

// As GNU timeout sends them.
TEST_F(Resume, FurtherSignalsChangeNothing) {
  Process training = start_endless();
  ASSERT_TRUE(training.wait_for_error_text("0 loss"));
  for (int i = 0; i < 50; ++i) training.send(i % 2 == 0 ? SIGTERM : SIGINT);
  const ProcessResult stopped = training.wait();
  EXPECT_EQ(stopped.signal, 0);
  EXPECT_THAT(stopped.status, testing::AnyOf(128 + SIGTERM, 128 + SIGINT));
  EXPECT_THAT(stopped.errors, HasSubstr("the same command goes on from here"));
  expect_to_end_as_if_never_interrupted();
}

TEST_F(Resume, ASignalBeforeTrainingEndsItImmediately) {
  folder_.file("fifo", "");
  std::filesystem::remove(folder_.path("fifo"));
  ASSERT_EQ(mkfifo(folder_.path("fifo").c_str(), 0600), 0);
  std::vector<std::string> args = toy_training(kEndless, options_);
  std::ranges::replace(args, "train.src", "fifo");
  Process training(weft_command(args), {.folder = folder_.folder()});
  while (!std::filesystem::exists(folder_.path("model.safetensors.lock"))) {
    ASSERT_TRUE(training.is_running());
  }
  training.send(SIGTERM);
  EXPECT_EQ(training.wait().signal, SIGTERM);
  EXPECT_EQ(finish(folder_).status, 0);
}

TEST_F(Resume, KilledBeforeItsFirstSaveItStartsOver) {
  options_[1] = "0";  // --save-freq
  Process training = start_endless();
  ASSERT_TRUE(training.wait_for_error_text("0 loss"));
  training.send(SIGKILL);
  training.wait();
  ASSERT_EQ(finish(folder_).status, 0);
  ASSERT_EQ(finish(reference_).status, 0);
  expect_same_files(folder_, reference_);
}

// The batch size was determined by trial; a resumed run must use the same.
TEST_F(Resume, FittedBatchSizesAreKept) {
  options_.insert(options_.end(),
                  {"--mini-batch-fit", "--workspace", "4", "--gradient-checkpointing"});
  Process training = start_endless();
  ASSERT_TRUE(training.wait_for_error_text("0 loss"));
  training.send(SIGTERM);
  EXPECT_THAT(training.wait().errors, HasSubstr("fit into 4 MB"));
  expect_to_end_as_if_never_interrupted();
  EXPECT_THAT(finish(folder_, updates_done(folder_) + 1).errors, Not(HasSubstr("fit into")));
}

TEST_F(Resume, AFinishedRunIsUnchanged) {
  ASSERT_EQ(finish(folder_).status, 0);
  const std::string before = read_bytes(folder_.path("model.training.safetensors"));
  const ProcessResult again = finish(folder_);
  EXPECT_EQ(again.status, 0);
  EXPECT_THAT(again.errors, HasSubstr("was finished before"));
  EXPECT_TRUE(read_bytes(folder_.path("model.training.safetensors")) == before);
}

TEST_F(Resume, ASecondTrainerIsRefused) {
  Process first = start_endless();
  ASSERT_TRUE(first.wait_for_error_text("0 loss"));
  const ProcessResult second = finish(folder_);
  EXPECT_EQ(second.status, 1);
  EXPECT_THAT(second.errors, HasSubstr("another process is training this model"));
  first.send(SIGKILL);
  first.wait();
}

TEST_F(Resume, ChangedOptionsThatInfluenceUpdatesAreRefused) {
  ASSERT_EQ(finish(folder_).status, 0);
  options_.insert(options_.end(), {"--label-smoothing", "0.2"});
  const ProcessResult other = finish(folder_);
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.errors, HasSubstr("training began with --label-smoothing 0.1, now it is 0.2"));
}

TEST_F(Resume, OtherTextIsRefused) {
  ASSERT_EQ(finish(folder_).status, 0);
  const ToyText other = toy_text(3, 300);
  folder_.file("train.src", other.source);
  folder_.file("train.trg", other.target);
  const ProcessResult result = finish(folder_);
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.errors, HasSubstr("training began with other data"));
}

TEST_F(Resume, AFullDiskKeepsTheLastState) {
  ASSERT_EQ(finish(folder_, 70).status, 0);  // ends with a due save and validation
  const std::string state = read_bytes(folder_.path(kToyState));
  const std::string model = read_bytes(folder_.path("model.safetensors"));
  std::vector<std::string> limited = {"/bin/bash", "-c", "ulimit -f 16; exec \"$0\" \"$@\""};
  for (const std::string& word : weft_command(toy_training(kEndless, options_))) {
    limited.push_back(word);
  }
  const ProcessResult result = run_process(limited, {.folder = folder_.folder()});
  EXPECT_EQ(result.status, 1) << result.signal;
  EXPECT_THAT(result.errors, HasSubstr("File too large"));
  EXPECT_TRUE(read_bytes(folder_.path(kToyState)) == state);
  EXPECT_TRUE(read_bytes(folder_.path("model.safetensors")) == model);
  for (const std::string& name : folder_.names()) EXPECT_FALSE(name.ends_with(".partial")) << name;
  expect_to_end_as_if_never_interrupted();
}

}  // namespace
}  // namespace weft::test
