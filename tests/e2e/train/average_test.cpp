// weft average: the mean of models, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/e2e/program.h"
#include "tests/e2e/training.h"
#include "tests/support/scratch.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

class Average : public testing::Test {
 protected:
  Average() { write_toy_text(folder_); }
  ProcessResult run(const std::vector<std::string>& args) const {
    return run_weft(args, {.folder = folder_.folder()});
  }
  void train(int updates, const std::vector<std::string>& more = {}) const {
    const ProcessResult result = run(toy_training(updates, more));
    ASSERT_EQ(result.status, 0) << result.errors;
  }
  std::string bytes(const std::string& name) const { return read_bytes(folder_.path(name)); }

  Scratch folder_;
};

TEST_F(Average, EqualsThatOfTheLastSavesOfATraining) {
  for (const int updates : {4, 8, 12}) {
    train(updates);
    std::filesystem::copy(folder_.path("model.safetensors"),
                          folder_.path("save" + std::to_string(updates)));
  }
  const ProcessResult result =
      run({"average", "-m", "save4", "save8", "save12", "-o", "mean.safetensors"});
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("wrote mean.safetensors: the mean of 3 models"));
  train(12, {"--overwrite", "--average-checkpoints", "3", "--save-freq", "4u"});
  EXPECT_TRUE(bytes("mean.safetensors") == bytes("model.safetensors"));
  EXPECT_FALSE(bytes("mean.safetensors") == bytes("save12"));
  ASSERT_EQ(run({"average", "save4", "save4", "-o", "same"}).status, 0);
  EXPECT_TRUE(bytes("same") == bytes("save4"));
}

TEST_F(Average, RefusesModelsThatDiffer) {
  train(1);
  std::filesystem::copy(folder_.path("model.safetensors"), folder_.path("first"));
  train(1, {"--overwrite", "--transformer-norm", "pre"});
  EXPECT_THAT(run({"average", "first", "model.safetensors", "-o", "mean"}).errors,
              HasSubstr("--model: model.safetensors is another network than first"));
  EXPECT_THAT(run({"average", "first", "-o", "mean"}).errors,
              HasSubstr("--model: expected two files or more, got 1"));
  EXPECT_THAT(run({"average", "first", "first", "-o", "first"}).errors,
              HasSubstr("--output: would overwrite"));
  EXPECT_THAT(run({"average", "first", "train.src", "-o", "mean"}).errors,
              HasSubstr("train.src: "));
  train(1, {"--overwrite", "--norm-kind", "batch"});
  EXPECT_THAT(run({"average", "model.safetensors", "model.safetensors", "-o", "mean"}).errors,
              HasSubstr("has running statistics"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path("mean")));
}

}  // namespace
}  // namespace weft::test
