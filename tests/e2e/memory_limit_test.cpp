// Training with too little memory: it exits with an error, never by a crash, and files on disk stay
// complete.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/e2e/program.h"
#include "tests/e2e/training.h"
#include "tests/support/scratch.h"

namespace weft::test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

// Runs weft with a limit on its address space.
ProcessResult run_limited(const Scratch& folder, int megabytes, std::vector<std::string> args) {
  const std::string limit = "ulimit -v " + std::to_string(megabytes * 1000) + " && exec \"$@\"";
  std::vector<std::string> command = {"/bin/sh", "-c", limit, "sh"};
  for (const std::string& word : weft_command(std::move(args))) command.push_back(word);
  return run_process(command, {.folder = folder.folder()});
}

TEST(MemoryLimit, EndsTrainingWithAnErrorAndKeepsFilesComplete) {
  constexpr int kAmple = 1000, kStep = 8, kMost = 600;
  const Scratch folder;
  write_toy_text(folder);
  if (run_limited(folder, kAmple, {"--version"}).status != 0) {
    GTEST_SKIP() << "the program needs much address space for itself, as under a sanitizer";
  }
  const auto training = [](int updates) {
    return training_with(
        "--task transformer-tiny --enc-depth 1 --dec-depth 1 --threads 2 --after " +
        std::to_string(updates) + "u");
  };
  ASSERT_EQ(run_weft(training(1), {.folder = folder.folder()}).status, 0);
  const std::string model = read_bytes(folder.path("model.safetensors"));
  const std::string state = read_bytes(folder.path(kToyState));
  int refused = 0;
  for (int megabytes = kStep; megabytes <= kMost; megabytes += kStep) {
    const ProcessResult result = run_limited(folder, megabytes, training(2));
    ASSERT_EQ(result.signal, 0) << megabytes << " MB: " << result.errors;
    if (result.status == 0) break;
    if (result.status == 127) continue;  // the program itself could not be loaded
    ++refused;
    EXPECT_EQ(result.status, 1) << megabytes << " MB";
    EXPECT_THAT(result.errors,
                AnyOf(HasSubstr("memory"), HasSubstr("cannot map"), HasSubstr("no thread")));
    ASSERT_TRUE(read_bytes(folder.path("model.safetensors")) == model) << megabytes << " MB";
    ASSERT_TRUE(read_bytes(folder.path(kToyState)) == state) << megabytes << " MB";
  }
  EXPECT_GT(refused, 3);
  EXPECT_EQ(run_weft(training(2), {.folder = folder.folder()}).status, 0);
}

}  // namespace
}  // namespace weft::test
