// Training that is killed, stopped or run twice: a run started again ends with the same bytes as
// one that was never interrupted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
    write_text(folder_);
    write_text(reference_);
    for (const char* more : {"--save-freq", "7u", "--average-checkpoints", "3",
                             "--exponential-smoothing", "0.01", "--optimizer-delay", "2",
                             "--valid-freq", "10u", "--valid-metrics", "cross-entropy", "bleu"}) {
      options_.emplace_back(more);
    }
    options_.insert(options_.end(), {"--valid-sets", "valid.src", "valid.trg"});
  }

  static void write_text(const Scratch& folder) {
    const ToyText train = toy_text(1, 300), valid = toy_text(2, 20);
    folder.file("train.src", train.source);
    folder.file("train.trg", train.target);
    folder.file("valid.src", valid.source);
    folder.file("valid.trg", valid.target);
  }
  std::vector<std::string> command() const { return toy_training(kUpdates, options_); }
  ProcessResult finish(const Scratch& folder) const {
    return run_weft(command(), {.folder = folder.folder()});
  }
  void expect_same_files() const {
    for (const char* name : {"model.safetensors", "model.training.safetensors"}) {
      EXPECT_TRUE(read_bytes(folder_.path(name)) == read_bytes(reference_.path(name))) << name;
    }
  }

  Scratch folder_, reference_;
  std::vector<std::string> options_;
};

TEST_F(Resume, KilledAtAnyMomentItEndsWithTheSameBytes) {
  ASSERT_EQ(finish(reference_).status, 0);
  RandomStream random(11, 0);
  int kills = 0;
  for (int attempt = 0; attempt < 8; ++attempt) {
    Process training(weft_command(command()), {.folder = folder_.folder()});
    std::this_thread::sleep_for(std::chrono::milliseconds(50 + random.below(400)));
    if (!training.is_running()) break;
    training.send(SIGKILL);
    training.wait();
    ++kills;
  }
  EXPECT_GE(kills, 1);
  const ProcessResult last = finish(folder_);
  ASSERT_EQ(last.status, 0) << last.errors;
  expect_same_files();
}

TEST_F(Resume, StoppedByASignalItSavesAndGoesOn) {
  ASSERT_EQ(finish(reference_).status, 0);
  const auto stop_at = [&](const char* progress, int signal) {
    Process training(weft_command(command()), {.folder = folder_.folder()});
    ASSERT_TRUE(training.wait_for_error_text(progress));
    training.send(signal);
    const ProcessResult stopped = training.wait();
    EXPECT_EQ(stopped.status, 0);
    EXPECT_THAT(stopped.errors, HasSubstr("the same command goes on from here"));
  };
  stop_at("update 10 ", SIGTERM);
  stop_at("update 30 ", SIGINT);
  const ProcessResult last = finish(folder_);
  ASSERT_EQ(last.status, 0) << last.errors;
  EXPECT_THAT(last.errors, HasSubstr("going on from"));
  expect_same_files();
}

// How large batches are was found by trial; a resumed run must not find something else.
TEST_F(Resume, BatchesFittedToMemoryStayAsTheyWere) {
  options_.insert(options_.end(),
                  {"--mini-batch-fit", "--workspace", "4", "--gradient-checkpointing"});
  const ProcessResult first = finish(reference_);
  ASSERT_EQ(first.status, 0) << first.errors;
  EXPECT_THAT(first.errors, HasSubstr("target tokens fit into 4 MB"));
  Process training(weft_command(command()), {.folder = folder_.folder()});
  ASSERT_TRUE(training.wait_for_error_text("update 10 "));
  training.send(SIGTERM);
  training.wait();
  const ProcessResult second = finish(folder_);
  ASSERT_EQ(second.status, 0) << second.errors;
  EXPECT_THAT(second.errors, Not(HasSubstr("fit into")));
  expect_same_files();
}

TEST_F(Resume, AFinishedRunStaysAsItIs) {
  ASSERT_EQ(finish(folder_).status, 0);
  const std::string before = read_bytes(folder_.path("model.training.safetensors"));
  const ProcessResult again = finish(folder_);
  EXPECT_EQ(again.status, 0);
  EXPECT_THAT(again.errors, HasSubstr("was finished before"));
  EXPECT_TRUE(read_bytes(folder_.path("model.training.safetensors")) == before);
}

TEST_F(Resume, ASecondTrainerIsRefused) {
  Process first(weft_command(toy_training(100000, options_)), {.folder = folder_.folder()});
  ASSERT_TRUE(first.wait_for_error_text("update 10 "));
  const ProcessResult second = finish(folder_);
  EXPECT_EQ(second.status, 1);
  EXPECT_THAT(second.errors, HasSubstr("another process is training this model"));
  first.send(SIGKILL);
  first.wait();
}

TEST_F(Resume, OtherOptionsThatDecideUpdatesAreRefused) {
  ASSERT_EQ(finish(folder_).status, 0);
  options_.insert(options_.end(), {"--label-smoothing", "0.2"});
  const ProcessResult other = finish(folder_);
  EXPECT_EQ(other.status, 1);
  EXPECT_THAT(other.errors, HasSubstr("training began with --label-smoothing 0.1, now it is 0.2"));
}

TEST_F(Resume, OtherTextIsRefused) {
  ASSERT_EQ(finish(folder_).status, 0);
  const ToyText other = toy_text(3, 300);
  folder_.file("train.src", other.source);
  folder_.file("train.trg", other.target);
  const ProcessResult result = finish(folder_);
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.errors, HasSubstr("training began on another text"));
}

TEST_F(Resume, AFullDiskLeavesTheLastStateWhole) {
  options_.insert(options_.end(), {"--overwrite"});
  ASSERT_EQ(finish(folder_).status, 0);
  const std::string before = read_bytes(folder_.path("model.training.safetensors"));
  std::string shell = "ulimit -f 16; exec \"$0\" \"$@\"";
  std::vector<std::string> limited = {"/bin/bash", "-c", shell};
  for (const std::string& word : weft_command(command())) limited.push_back(word);
  const ProcessResult result = run_process(limited, {.folder = folder_.folder()});
  EXPECT_EQ(result.status, 1) << result.signal;
  EXPECT_THAT(result.errors, HasSubstr(".safetensors"));
  EXPECT_TRUE(read_bytes(folder_.path("model.training.safetensors")) == before);
}

}  // namespace
}  // namespace weft::test
