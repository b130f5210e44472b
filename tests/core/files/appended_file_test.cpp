#include "weft/core/files/appended_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"

namespace weft {
namespace {

using test::message_of;
using test::read_bytes;
using test::Scratch;
using testing::HasSubstr;

TEST(AppendedFile, GrowsFromTheGivenSize) {
  const Scratch folder;
  const std::string path = folder.file("log", "kept and dropped");
  AppendedFile file(path, 4);
  EXPECT_EQ(read_bytes(path), "kept");
  file.write(", then ");
  EXPECT_EQ(read_bytes(path), "kept, then ");
  file.write("more");
  file.sync();
  EXPECT_EQ(read_bytes(path), "kept, then more");
}

TEST(AppendedFile, CreatesAMissingFile) {
  const Scratch folder;
  AppendedFile(folder.path("log"), 0).write("text");
  EXPECT_EQ(read_bytes(folder.path("log")), "text");
}

TEST(AppendedFile, ErrorsNameTheFileAndTheReason) {
  const Scratch folder;
  const std::string missing = folder.path("none/log");
  EXPECT_EQ(message_of<FileError>([&] { AppendedFile(missing, 0); }),
            missing + ": cannot open: No such file or directory");
  EXPECT_THAT(message_of<FileError>([&] { AppendedFile(folder.folder(), 0); }),
              HasSubstr("Is a directory"));
  EXPECT_THAT(message_of<FileError>([] { AppendedFile("/dev/full", 0).write("text"); }),
              HasSubstr("/dev/full: cannot"));
}

}  // namespace
}  // namespace weft
