#include "weft/core/files/atomic_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "tests/support/errors.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"

namespace weft {
namespace {

using test::read_bytes;
using test::Scratch;
using testing::ElementsAre;

// Limits the file size of this process while it exists, to simulate a full disk.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit now = {bytes, old_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &now);
  }
  ~SmallDisk() {
    setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit old_;
  void (*old_handler_)(int);
};

TEST(AtomicFile, AppearsOnlyWhenCommitted) {
  const Scratch scratch;
  const std::string path = scratch.file("a", "old");
  AtomicFile file(path);
  file.write("new ");
  file.write("content");
  EXPECT_EQ(read_bytes(path), "old");
  file.commit();
  EXPECT_EQ(read_bytes(path), "new content");
  EXPECT_THAT(scratch.names(), ElementsAre("a"));
}

TEST(AtomicFile, LeavesNothingWhenAbandoned) {
  const Scratch scratch;
  { AtomicFile(scratch.path("a")).write("half"); }
  EXPECT_THAT(scratch.names(), ElementsAre());
}

TEST(AtomicFile, KeepsTheOldFileWhenTheDiskIsFull) {
  const Scratch scratch;
  const std::string path = scratch.file("a", "old");
  std::string message;
  {
    const SmallDisk disk(10'000);
    message = test::message_of<FileError>([&] { write_file(path, std::string(20'000, 'x')); });
  }
  EXPECT_EQ(message, path + ": cannot write: File too large");
  EXPECT_EQ(read_bytes(path), "old");
  EXPECT_THAT(scratch.names(), ElementsAre("a"));
}

TEST(AtomicFile, ReusesTheFileOfAKilledWriter) {
  const Scratch scratch;
  const std::string path = scratch.file("a", "old");
  const pid_t child = fork();
  if (child == 0) {
    AtomicFile file(path);
    file.write(std::string(1000, 'x'));
    raise(SIGKILL);
  }
  waitpid(child, nullptr, 0);
  EXPECT_EQ(read_bytes(path), "old");
  EXPECT_THAT(scratch.names(), ElementsAre("a", "a.partial"));
  write_file(path, "new");
  EXPECT_EQ(read_bytes(path), "new");
  EXPECT_THAT(scratch.names(), ElementsAre("a"));
}

TEST(AtomicFile, RefusesASecondWriter) {
  const Scratch scratch;
  const std::string path = scratch.path("a");
  AtomicFile first(path);
  EXPECT_EQ(test::message_of<FileError>([&] { AtomicFile second(path); }),
            path + ": cannot write: another process is writing it");
  first.write("whole");
  first.commit();
  EXPECT_EQ(read_bytes(path), "whole");
}

TEST(AtomicFile, IsAlwaysWholeWhileWritersRace) {
  const Scratch scratch;
  const std::string path = scratch.file("a", std::string(5000, 'a'));
  const auto write_often = [&](char letter) {
    for (int i = 0; i < 10; ++i) {
      try {
        write_file(path, std::string(5000, letter));
      } catch (const FileError&) {  // the other one was faster
      }
    }
  };
  std::thread b(write_often, 'b');
  std::thread c(write_often, 'c');
  for (int i = 0; i < 50; ++i) {
    const std::string now = read_bytes(path);
    ASSERT_EQ(now, std::string(5000, now.at(0)));
  }
  b.join();
  c.join();
  EXPECT_THAT(scratch.names(), ElementsAre("a"));
}

TEST(AtomicFile, ReadsBackWhatWasWritten) {
  const Scratch scratch;
  AtomicFile file(scratch.path("a"));
  file.write("one two");
  std::string part(3, '\0');
  file.read(4, part.data(), part.size());
  EXPECT_EQ(part, "two");
  file.write(" three");
  file.read(8, part.data(), part.size());
  EXPECT_EQ(part, "thr") << "and goes on writing at the end";
  EXPECT_EQ(test::message_of<FileError>([&] { file.read(12, part.data(), part.size()); }),
            scratch.path("a") + ": cannot read back: it ends at byte 13");
  file.commit();
  EXPECT_EQ(read_bytes(scratch.path("a")), "one two three");
}

TEST(AtomicFile, FollowsLinksAndKeepsPermissions) {
  const Scratch scratch;
  const std::string path = scratch.file("real", "old");
  chmod(path.c_str(), 0640);
  ASSERT_EQ(symlink("real", scratch.path("link").c_str()), 0);
  write_file(scratch.path("link"), "new");
  EXPECT_EQ(read_bytes(path), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(scratch.path("link")));
  struct stat status;
  stat(path.c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST(AtomicFile, FollowsLinksToMissingFiles) {
  const Scratch scratch;
  std::filesystem::create_directory(scratch.path("far"));
  std::filesystem::create_symlink("far/second", scratch.path("first"));
  std::filesystem::create_symlink("../real", scratch.path("far/second"));
  for (const char* content : {"new", "newer"}) {
    write_file(scratch.path("first"), content);
    EXPECT_TRUE(std::filesystem::is_symlink(scratch.path("first")));
    EXPECT_TRUE(std::filesystem::is_symlink(scratch.path("far/second")));
    EXPECT_FALSE(std::filesystem::is_symlink(scratch.path("real")));
    EXPECT_EQ(read_bytes(scratch.path("real")), content);
  }
  EXPECT_THAT(scratch.names(), ElementsAre("far", "first", "real"));
}

TEST(AtomicFile, ReportsBrokenLinks) {
  const Scratch scratch;
  const std::string loop = scratch.path("loop"), far = scratch.path("far");
  std::filesystem::create_symlink("loop", loop);
  EXPECT_EQ(test::message_of<FileError>([&] { write_file(loop, "x"); }),
            loop + ": cannot follow the link: Too many levels of symbolic links");
  std::filesystem::create_symlink("no/such", far);
  EXPECT_EQ(test::message_of<FileError>([&] { write_file(far, "x"); }),
            far + ": cannot create: No such file or directory");
  EXPECT_THAT(scratch.names(), ElementsAre("far", "loop"));
}

TEST(AtomicFile, ReportsFilesThatCannotBeReplaced) {
  const Scratch scratch;
  const std::string missing = scratch.path("no/such/folder");
  EXPECT_EQ(test::message_of<FileError>([&] { write_file(missing, ""); }),
            missing + ": cannot create: No such file or directory");
  EXPECT_EQ(test::message_of<FileError>([&] { write_file(scratch.folder(), ""); }),
            scratch.folder() + ": cannot write: it exists and is not a regular file");
  EXPECT_EQ(test::message_of<FileError>([&] { write_file("/dev/full", "x"); }),
            "/dev/full: cannot write: it exists and is not a regular file");
  AtomicFile file(scratch.path("a"));
  std::filesystem::create_directory(scratch.path("a"));
  EXPECT_EQ(test::message_of<FileError>([&] { file.commit(); }),
            scratch.path("a") + ": cannot replace: Is a directory");
}

TEST(CheckOutput, RefusesAnInputFile) {
  const Scratch scratch;
  const std::string input = scratch.file("a", "x"), link = scratch.path("link");
  std::filesystem::create_symlink(input, link);
  const std::string inputs[] = {"stdin", scratch.path("none"), input};
  EXPECT_THAT([&] { check_output("--output", link, inputs); },
              testing::ThrowsMessage<OptionError>("--output: would overwrite " + input +
                                                  ", which is an input; expected another file"));
  EXPECT_THROW(check_output("--output", scratch.path("./none"), inputs), OptionError);
  check_output("--output", scratch.path("b"), inputs);
  const std::string devices[] = {"/dev/null"};
  check_output("--output", "/dev/null", devices);
}

TEST(AtomicFile, WorksInTheCurrentFolder) {
  const Scratch scratch;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(scratch.folder());
  write_file("plain", "x");
  std::filesystem::current_path(before);
  EXPECT_THAT(scratch.names(), ElementsAre("plain"));
}

TEST(MakeFolder, MakesThoseAboveAndReportsTheReason) {
  const Scratch scratch;
  make_folder(scratch.path("a/b"));
  make_folder(scratch.path("a/b/"));
  EXPECT_TRUE(std::filesystem::is_directory(scratch.path("a/b")));
  const std::string file = scratch.file("file", "x");
  for (const std::string& path : {file, file + "/c"}) {
    EXPECT_EQ(test::message_of<FileError>([&] { make_folder(path); }),
              path + ": cannot make the folder: Not a directory");
  }
}

}  // namespace
}  // namespace weft
