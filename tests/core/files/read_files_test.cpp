#include "weft/core/files/read_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tests/support/errors.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"
#include "weft/core/files/mapped_file.h"
#include "weft/core/files/open_file.h"
#include "weft/core/parallel.h"

namespace weft {
namespace {

void read(const std::string& path) { ::close(open_for_reading(path, Pipes::kRefused)); }

TEST(ReadFiles, AreKnownThroughLinksAndOtherSpellings) {
  const test::Scratch scratch;
  const std::string a = scratch.file("a", "a");
  std::filesystem::create_symlink("a", scratch.path("link"));
  std::filesystem::create_hard_link(a, scratch.path("hard"));
  const ReadFiles files;
  EXPECT_NO_THROW(files.check_output("--log", a));
  read(scratch.path("link"));
  for (const std::string path : {"a", "./a", "link", "hard"}) {
    EXPECT_EQ(
        test::message_of<OptionError>([&] { files.check_output("--log", scratch.path(path)); }),
        "--log: would overwrite " + scratch.path(path) +
            ", which is an input; expected another file");
  }
  EXPECT_FALSE(files.has(scratch.file("b", "a")));
  EXPECT_FALSE(files.has(scratch.path("none")));
  EXPECT_FALSE(files.has(""));
}

TEST(ReadFiles, AreThoseOfTheirTime) {
  const test::Scratch scratch;
  const std::string a = scratch.file("a", "a"), b = scratch.file("b", "b"),
                    c = scratch.file("c", "c");
  read(a);
  const ReadFiles outer;
  {
    ReadFiles inner;
    const MappedFile file(b);
    inner.add(c);
    inner.add(scratch.path("none"));
    EXPECT_TRUE(inner.has(b));
    EXPECT_TRUE(inner.has(c));
  }
  EXPECT_FALSE(outer.has(a));
  EXPECT_TRUE(outer.has(b));
  EXPECT_FALSE(outer.has(c));
}

TEST(ReadFiles, KnowTheirFolders) {
  const test::Scratch scratch;
  for (const char* folder : {"read", "added", "linked", "other"}) {
    std::filesystem::create_directory(scratch.path(folder));
  }
  std::filesystem::create_symlink("../other/a", scratch.path("linked/a"));
  scratch.file("other/a", "a");
  ReadFiles files;
  read(scratch.file("read/a", "a"));
  files.add(scratch.file("added/a", "a"));
  files.add(scratch.path("linked/a"));
  EXPECT_TRUE(files.has_in(scratch.path("read")));
  EXPECT_TRUE(files.has_in(scratch.path("other/../added/")));
  EXPECT_TRUE(files.has_in(scratch.path("linked")));
  EXPECT_FALSE(files.has_in(scratch.path("other")));
  EXPECT_FALSE(files.has_in(scratch.path("none")));
}

TEST(ReadFiles, AreReadOnAnyThread) {
  const test::Scratch scratch;
  std::vector<std::string> paths;
  for (int i = 0; i < 40; ++i) paths.push_back(scratch.file(std::to_string(i), "x"));
  const ReadFiles files;
  parallel_for(std::ssize(paths), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) read(paths[static_cast<size_t>(i)]);
  });
  for (const std::string& path : paths) EXPECT_TRUE(files.has(path)) << path;
}

}  // namespace
}  // namespace weft
