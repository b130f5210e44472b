// Too little memory: training exits with an error, never by a crash, and files on disk stay
// complete; what cannot be read for lack of memory is not called damaged.
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

constexpr int kAmple = 1'000'000;

// Runs weft with a limit on its address space.
ProcessResult run_limited(const Scratch& folder, int kilobytes, std::vector<std::string> args) {
  const std::string limit = "ulimit -v " + std::to_string(kilobytes) + " && exec \"$@\"";
  std::vector<std::string> command = {"/bin/sh", "-c", limit, "sh"};
  for (const std::string& word : weft_command(std::move(args))) command.push_back(word);
  return run_process(command, {.folder = folder.folder()});
}

// Not under a sanitizer, which needs much address space for itself.
bool can_be_limited(const Scratch& folder) {
  return run_limited(folder, kAmple, {"--version"}).status == 0;
}

TEST(MemoryLimit, EndsTrainingWithAnErrorAndKeepsFilesComplete) {
  // The system ends a program that does not even fit itself.
  constexpr int kLeast = 16, kStep = 8, kMost = 600;
  const Scratch folder;
  write_toy_text(folder);
  if (!can_be_limited(folder)) GTEST_SKIP() << "the program itself needs much address space";
  const auto training = [](int updates) {
    return training_with(
        "--task transformer-tiny --enc-depth 1 --dec-depth 1 --threads 2 --after " +
        std::to_string(updates) + "u");
  };
  ASSERT_EQ(run_weft(training(1), {.folder = folder.folder()}).status, 0);
  const std::string model = read_bytes(folder.path("model.safetensors"));
  const std::string state = read_bytes(folder.path(kToyState));
  int refused = 0;
  for (int megabytes = kLeast; megabytes <= kMost; megabytes += kStep) {
    const ProcessResult result = run_limited(folder, 1000 * megabytes, training(2));
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

// Limits just under the least one that the command needs, where the memory to read text is what is
// lacking.
TEST(MemoryLimit, CallsNoPlainTextDamaged) {
  constexpr int kStep = 32;
  const Scratch folder;
  if (!can_be_limited(folder)) GTEST_SKIP() << "the program itself needs much address space";
  folder.file("text", "one\ntwo\n");
  const std::vector<std::string> command = {"evaluate", "-r", "text", "-i", "text"};
  int least = kAmple;
  for (int too_low = 0; least - too_low > kStep;) {
    const int middle = (least + too_low) / 2;
    const bool is_enough = run_limited(folder, middle, command).status == 0;
    (is_enough ? least : too_low) = middle;
  }
  int refused = 0;
  for (int less = kStep; less < 40 * kStep; less += kStep) {
    const ProcessResult result = run_limited(folder, least - less, command);
    EXPECT_THAT(result.errors, testing::Not(HasSubstr("compressed"))) << less << " kB less";
    refused += result.errors.find("weft: out of memory") == std::string::npos ? 0 : 1;
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace weft::test
