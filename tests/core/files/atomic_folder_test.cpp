#include "weft/core/files/atomic_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/errors.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

void write_in(const AtomicFolder& folder, const std::string& name) {
  std::ofstream(folder.partial() + "/" + name) << "text";
}

TEST(AtomicFolder, IsThereOnceItIsCommitted) {
  const test::Scratch scratch;
  for (const char* name : {"new", "empty", "named/"}) {
    if (std::string(name) == "empty") std::filesystem::create_directory(scratch.path(name));
    AtomicFolder folder(scratch.path(name));
    folder.start();
    write_in(folder, "a");
    folder.start();  // after a try that failed
    write_in(folder, "b");
    EXPECT_FALSE(std::filesystem::exists(scratch.path(name) + "/b"));
    folder.commit();
    EXPECT_FALSE(std::filesystem::exists(folder.partial()));
    EXPECT_FALSE(std::filesystem::exists(folder.path() + "/a"));
    EXPECT_EQ(test::read_bytes(folder.path() + "/b"), "text");
  }
  EXPECT_THAT(scratch.names(), ElementsAre("empty", "named", "new"));
}

TEST(AtomicFolder, LeavesNothingBehind) {
  const test::Scratch scratch;
  {
    AtomicFolder folder(scratch.path("new"));
    folder.start();
    write_in(folder, "a");
  }
  EXPECT_THAT(scratch.names(), IsEmpty());
}

TEST(AtomicFolder, ReplacesNothing) {
  const test::Scratch scratch;
  const auto message = [&](const char* name) {
    return test::message_of<FileError>([&] { AtomicFolder(scratch.path(name)); });
  };
  scratch.file("file", "text");
  EXPECT_THAT(message("file"), HasSubstr("file: exists; expected the name of a new or an empty"));
  std::filesystem::create_directory(scratch.path("full"));
  scratch.file("full/a", "text");
  EXPECT_THAT(message("full"), HasSubstr("full: exists; expected the name of a new or an empty"));
  std::filesystem::create_directory(scratch.path("other.partial"));
  EXPECT_THAT(message("other"), HasSubstr("other.partial: exists"));
  EXPECT_THAT(scratch.names(), ElementsAre("file", "full", "other.partial"));
}

}  // namespace
}  // namespace weft
