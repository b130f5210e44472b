#include "weft/core/files/open_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/support/errors.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"

namespace weft {
namespace {

std::string message(const std::string& path, Pipes pipes) {
  return test::message_of<FileError>([&] { open_for_reading(path, pipes); });
}

TEST(OpenFile, ARegularFileIsOpened) {
  const test::Scratch scratch;
  const std::string path = scratch.file("a", "text");
  for (const Pipes pipes : {Pipes::kRead, Pipes::kRefused}) {
    const int file = open_for_reading(path, pipes);
    char buffer[8];
    EXPECT_EQ(::read(file, buffer, sizeof(buffer)), 4);
    ::close(file);
  }
}

TEST(OpenFile, APathWithAZeroByteIsRefused) {
  const test::Scratch scratch;
  const std::string path = scratch.file("a", "text") + '\0' + "b";  // open() would see the file
  EXPECT_EQ(message(path, Pipes::kRead), quote(path) + ": has a zero byte; expected a path");
}

TEST(OpenFile, APipeIsReadOrRefusedWithoutBlocking) {
  const test::Scratch scratch;
  const std::string named = scratch.path("fifo");
  ASSERT_EQ(::mkfifo(named.c_str(), 0600), 0);
  EXPECT_EQ(message(named, Pipes::kRefused),
            named + ": is a pipe or a device; expected a regular file");
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "text", 4), 4);
  const int file = open_for_reading("/dev/fd/" + std::to_string(ends[0]), Pipes::kRead);
  char buffer[8];
  EXPECT_EQ(::read(file, buffer, sizeof(buffer)), 4);
  for (const int descriptor : {file, ends[0], ends[1]}) ::close(descriptor);
}

TEST(OpenFile, ReportsFilesThatCannotBeOpened) {
  const test::Scratch scratch;
  const std::string loop = scratch.path("loop"), missing = scratch.path("missing");
  std::filesystem::create_symlink("loop", loop);
  for (const Pipes pipes : {Pipes::kRead, Pipes::kRefused}) {
    EXPECT_EQ(message(loop, pipes), loop + ": cannot be opened: Too many levels of symbolic links");
    EXPECT_EQ(message(missing, pipes), missing + ": cannot be opened: No such file or directory");
  }
  EXPECT_EQ(message(scratch.folder(), Pipes::kRead),
            scratch.folder() + ": is a directory; expected a file");
}

}  // namespace
}  // namespace weft
