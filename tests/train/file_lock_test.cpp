#include "weft/train/file_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"

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

}  // namespace
}  // namespace weft::train
