// Training with several processes: the same gradient as with one, exact resumption, and a common
// end.
#include "tests/e2e/ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <fstream>
#include <iterator>
#include <ostream>

#include "tests/e2e/training.h"
#include "tests/support/paths.h"
#include "tests/support/scratch.h"
#include "tests/support/tensors.h"
#include "weft/formats/safetensors.h"
#include "weft/train/file_lock.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

class Ranks : public WithMpirun {
 protected:
  void SetUp() override {
    WithMpirun::SetUp();
    write_toy_text(folder_);
    write_toy_text(reference_);
  }
  static ProcessResult train(const Scratch& folder, int ranks, int updates,
                             const Settings& settings) {
    return run_process(as_ranks(ranks, updates, settings), mpirun_options(folder.folder()));
  }
  Process start_endless(int ranks, const Settings& settings) const {
    return Process(as_ranks(ranks, kEndless, settings), mpirun_options(folder_.folder()));
  }
  void expect_to_end_as_if_never_interrupted(int ranks, const Settings& settings) const {
    test::expect_to_end_as_if_never_interrupted(folder_, reference_, updates_done(folder_) + 15,
                                                [&](const Scratch& folder, int updates) {
                                                  return train(folder, ranks, updates, settings);
                                                });
  }

  Scratch folder_, reference_;
};

struct GradientCase {
  std::string name;
  Settings settings;
};

void PrintTo(const GradientCase& one, std::ostream* out) { *out << one.name; }

// About 1.3 million parameters give three buckets; embeddings are not the first to be complete.
const GradientCase kGradients[] = {
    {"SeveralBuckets", {{"--dim-emb", "256"}, {"--transformer-dim-ffn", "512"}}},
    {"RecomputedLayers", {{"--gradient-checkpointing"}}},
    {"TiedEmbeddings", {{"--tied-embeddings"}, {"--transformer-norm", "pre"}}},
    {"RDropAndDropPath", {{"--r-drop", "5"}, {"--drop-path", "0.2"}, {"--norm-kind", "rms"}}},
    {"ScheduledSampling",
     {{"--scheduled-sampling", "inverse-sigmoid"}, {"--scheduled-sampling-rate", "1"}}},
    {"FewerSentencesThanRanks", {{"--mini-batch", "2"}, {"--mini-batch-words", "0"}}},
};

// Adam's first moment after one update is the gradient times a constant.
Tensor gradient_in(const Scratch& folder) {
  return formats::SafetensorsFile(folder.path(kToyState)).tensor("adam.first").clone();
}

double relative_distance(const Tensor& got, const Tensor& expected) {
  const std::vector<double> x = values(got), z = values(expected);
  double difference = 0, norm = 0;
  for (size_t i = 0; i < z.size(); ++i) {
    difference += (x[i] - z[i]) * (x[i] - z[i]);
    norm += z[i] * z[i];
  }
  return std::sqrt(difference / norm);
}

class RanksGradient : public Ranks, public testing::WithParamInterface<GradientCase> {};

TEST_P(RanksGradient, IsThatOfOneProcess) {
  Settings settings = GetParam().settings;
  for (const char* more : {"--optimizer-delay 2", "--clip-norm 0", "--precision float32"}) {
    const std::string text(more);
    settings.push_back({text.substr(0, text.find(' ')), text.substr(text.find(' ') + 1)});
  }
  ASSERT_EQ(train(reference_, 1, 1, settings).status, 0);
  const Tensor expected = gradient_in(reference_);
  settings.push_back({"--overwrite"});
  for (const int ranks : {2, 3}) {
    const ProcessResult result = train(folder_, ranks, 1, settings);
    ASSERT_EQ(result.status, 0) << result.errors;
    EXPECT_THAT(result.errors, HasSubstr(std::to_string(ranks) + " ranks"));
    EXPECT_LT(relative_distance(gradient_in(folder_), expected), 1e-5) << ranks;
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, RanksGradient, testing::ValuesIn(kGradients),
                         [](const auto& one) { return one.param.name; });

const Settings kLongTraining = {{"--save-freq", "7u"},
                                {"--average-checkpoints", "3"},
                                {"--exponential-smoothing", "0.01"},
                                {"--optimizer-delay", "2"},
                                {"--valid-freq", "10u"},
                                {"--valid-metrics", "cross-entropy", "bleu"},
                                {"--valid-sets", "valid.src", "valid.trg"}};

// The processes started by mpirun, by rank.
std::vector<pid_t> ranks_of(const Process& mpirun) {
  const std::string id = std::to_string(mpirun.id());
  std::ifstream children("/proc/" + id + "/task/" + id + "/children");
  return {std::istream_iterator<pid_t>(children), {}};
}

TEST_F(Ranks, ResumeBitExactlyAfterOneWasKilled) {
  for (const size_t victim : {1, 0}) {
    Process training = start_endless(2, kLongTraining);
    ASSERT_TRUE(training.wait_for_error_text("0 loss"));
    const std::vector<pid_t> ranks = ranks_of(training);
    ASSERT_EQ(ranks.size(), 2);
    kill(ranks[victim], SIGKILL);
    const ProcessResult killed = training.wait();
    EXPECT_FALSE(killed.timed_out);
    EXPECT_NE(killed.status, 0);
    EXPECT_THAT(killed.errors, HasSubstr("signal 9"));
    EXPECT_NO_THROW(formats::SafetensorsFile(folder_.path(kToyState)));
  }
  expect_to_end_as_if_never_interrupted(2, kLongTraining);
}

TEST_F(Ranks, AllStopIfOneIsStopped) {
  {
    Process training = start_endless(3, kLongTraining);
    ASSERT_TRUE(training.wait_for_error_text("0 loss"));
    const std::vector<pid_t> ranks = ranks_of(training);
    ASSERT_EQ(ranks.size(), 3);
    kill(ranks[2], SIGTERM);
    const ProcessResult stopped = training.wait();
    EXPECT_EQ(stopped.status, 128 + SIGTERM) << stopped.errors;
    EXPECT_THAT(stopped.errors, HasSubstr("the same command goes on from here"));
  }
  expect_to_end_as_if_never_interrupted(3, kLongTraining);
}

TEST_F(Ranks, ShareACorpusCache) {
  std::filesystem::create_directory(folder_.path("cache"));
  const ProcessResult made = train(folder_, 2, 3, {{"--corpus-cache", "cache"}});
  ASSERT_EQ(made.status, 0) << made.errors;
  EXPECT_THAT(made.errors, HasSubstr("wrote cache/train.src."));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path("cache")), {}), 1);
  ASSERT_EQ(train(reference_, 2, 3, {}).status, 0);
  EXPECT_TRUE(read_bytes(folder_.path("model.safetensors")) ==
              read_bytes(reference_.path("model.safetensors")));
  const ProcessResult found = train(folder_, 2, 6, {{"--corpus-cache", "cache"}});
  EXPECT_EQ(found.status, 0) << found.errors;
  EXPECT_THAT(found.errors, HasSubstr("tokenised text: cache/train.src."));
  EXPECT_THAT(found.errors, HasSubstr("resuming from"));
}

TEST_F(Ranks, AnotherNumberIsRefused) {
  ASSERT_EQ(train(folder_, 2, 2, {}).status, 0);
  for (const int ranks : {1, 3}) {
    const ProcessResult other = train(folder_, ranks, 4, {});
    EXPECT_EQ(other.status, 2);
    EXPECT_THAT(other.errors,
                HasSubstr("training began with 2 ranks, now there are " + std::to_string(ranks)));
  }
}

TEST_F(Ranks, EarlyStoppingStopsAll) {
  const ProcessResult result = train(folder_, 2, 1000,
                                     {{"--early-stopping", "2"},
                                      {"--valid-freq", "1u"},
                                      {"--valid-sets", "valid.src", "valid.trg"},
                                      {"--learn-rate", "1"},
                                      {"--lr-warmup", "0"}});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("no better validation"));
}

TEST_F(Ranks, AnErrorOfOneEndsAll) {
  const train::FileLock held(folder_.path("model.safetensors.lock"));
  const ProcessResult refused = train(folder_, 2, 2, {});
  EXPECT_FALSE(refused.timed_out);
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.errors, HasSubstr("another process is training this model"));
}

TEST_F(Ranks, AllEndIfAModelWouldBeOverwritten) {
  folder_.file("model.safetensors", "a model without a state");
  const auto before = folder_.names();
  const ProcessResult refused = train(folder_, 3, 2, {});
  EXPECT_FALSE(refused.timed_out);
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.errors, HasSubstr("model.safetensors: exists, but its training state"));
  EXPECT_EQ(folder_.names(), before);
  EXPECT_EQ(read_bytes(folder_.path("model.safetensors")), "a model without a state");
}

TEST_F(Ranks, WithDifferentWeightsEndTraining) {
  std::vector<std::string> argv = mpirun_command(1, one_rank(100, {{"--save-freq", "1u"}}));
  argv.insert(argv.end(), {":", "-np", "1", "/usr/bin/env", "WEFT_BACKEND=ref"});
  for (const std::string& word : one_rank(100, {{"--save-freq", "1u"}})) argv.push_back(word);
  const ProcessResult result = run_process(argv, mpirun_options(folder_.folder()));
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.errors, HasSubstr("the weights of rank 1 differ from those of rank 0"));
}

TEST_F(Ranks, WithDifferentTextAreRefused) {
  const ToyText other = toy_text(3, 300);
  folder_.file("other.src", other.source);
  folder_.file("other.trg", other.target);
  ASSERT_EQ(train(folder_, 1, 1, {}).status, 0);  // creates the vocabularies
  std::vector<std::string> argv = mpirun_command(1, one_rank(9, {{"--overwrite"}}));
  argv.insert(argv.end(), {":", "-np", "1"});
  for (const std::string& word : one_rank(9, {{"--overwrite"}})) {
    argv.push_back(word == "train.src" ? "other.src" : word == "train.trg" ? "other.trg" : word);
  }
  const ProcessResult result = run_process(argv, mpirun_options(folder_.folder()));
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.errors, HasSubstr("the files that rank 1 reads differ from those of rank 0"));
}

TEST_F(Ranks, DoNotSupportBatchNorm) {
  const ProcessResult result = train(folder_, 2, 5, {{"--norm-kind", "batch"}});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.errors,
              HasSubstr("--norm-kind: batch norm needs the statistics of the whole batch"));
}

TEST_F(Ranks, DoNotShareStandardInput) {
  const ProcessResult result = train(folder_, 2, 2, {{"--valid-sets", "valid.src", "-"}});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.errors,
              HasSubstr("--valid-sets: one of 2 ranks alone has standard input; expected files"));
}

TEST_F(WithMpirun, SumsAreInRankOrder) {
  for (const int ranks : {2, 3}) {
    const ProcessResult result =
        run_process(mpirun_command(ranks, {group_check_path()}), mpirun_options(""));
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_EQ(result.output, std::to_string(ranks) + " ranks\n");
  }
}

}  // namespace
}  // namespace weft::test
