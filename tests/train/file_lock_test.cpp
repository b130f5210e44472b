#include "weft/train/file_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/errors.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"
#include "weft/train/checkpoint.h"

namespace weft::train {
namespace {

TEST(FileLock, IsHeldByOneAndLeavesNoFile) {
  const test::Scratch scratch;
  const std::string path = scratch.path("model.lock");
  {
    const FileLock lock(path);
    EXPECT_THAT(scratch.names(), testing::ElementsAre("model.lock"));
    EXPECT_EQ(test::message_of<FileError>([&] { FileLock second(path); }),
              path + ": another process is training this model; hint: wait for it or end it");
    EXPECT_THAT(scratch.names(), testing::ElementsAre("model.lock"));
  }
  EXPECT_THAT(scratch.names(), testing::IsEmpty());
}

TEST(FileLock, ReusesTheFileOfAKilledProcess) {
  const test::Scratch scratch;
  const std::string path = scratch.file("model.lock", "");
  { const FileLock lock(path); }
  EXPECT_THAT(scratch.names(), testing::IsEmpty());
}

TEST(FileLock, ReportsAFileThatCannotBeCreated) {
  const test::Scratch scratch;
  const auto message = [&](const char* name) {
    return test::message_of<FileError>([&] { FileLock lock(scratch.path(name)); });
  };
  EXPECT_EQ(message("no/model.lock"),
            scratch.path("no") + ": no such folder; expected one to write to");
  EXPECT_EQ(message("."), scratch.path(".") + ": cannot be locked: Is a directory");
}

// The model of a training, and its checkpoint, by all their names.
TEST(CheckNotTraining, KnowsAModelThroughLinks) {
  const test::Scratch scratch;
  const std::string model = scratch.path("model.safetensors");
  std::filesystem::create_symlink("model.safetensors", scratch.path("link"));
  std::filesystem::create_symlink(scratch.path("link"), scratch.path("chain"));
  std::filesystem::create_symlink("model.training.safetensors", scratch.path("state"));
  std::filesystem::create_symlink(".", scratch.path("folder"));
  std::filesystem::create_symlink("cycle", scratch.path("cycle"));
  const char* const names[] = {
      "model", "model.safetensors",       "model.training.safetensors", "link", "chain",
      "state", "folder/model.safetensors"};
  {
    const FileLock training(lock_path(model));
    for (const char* name : names) {
      const std::string path = scratch.path(name);
      EXPECT_EQ(test::message_of<FileError>([&] { check_not_training(path); }),
                path + ": another process is training this model; expected another file");
    }
    EXPECT_NO_THROW(check_not_training(scratch.path("other.safetensors")));
    EXPECT_THROW(check_not_training(scratch.path("cycle")), FileError);
  }
  for (const char* name : names) EXPECT_NO_THROW(check_not_training(scratch.path(name)));
}

}  // namespace
}  // namespace weft::train
