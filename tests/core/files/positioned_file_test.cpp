#include "weft/core/files/positioned_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/errors.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"

namespace weft {
namespace {

TEST(PositionedFile, IsReadAtAnyPlaceUpToItsEnd) {
  const test::Scratch scratch;
  const PositionedFile file(scratch.file("a", "0123456789"));
  EXPECT_EQ(file.size(), 10u);
  std::string out(4, ' ');
  EXPECT_EQ(file.read(3, out.data(), 4), 4u);
  EXPECT_EQ(out, "3456");
  EXPECT_EQ(file.read(8, out.data(), 4), 2u);
  EXPECT_EQ(out, "8956");
  EXPECT_EQ(file.read(10, out.data(), 4), 0u);
  std::filesystem::resize_file(file.path(), 2);
  EXPECT_EQ(file.read(0, out.data(), 4), 2u);
  EXPECT_EQ(file.read(3, out.data(), 4), 0u);
}

TEST(PositionedFile, ReportsWhatCannotBeOpened) {
  const test::Scratch scratch;
  EXPECT_THROW(PositionedFile(scratch.path("none")), FileError);
  EXPECT_THAT(test::message_of<FileError>([&] { PositionedFile file(scratch.folder()); }),
              testing::HasSubstr("is a directory; expected a regular file"));
}

}  // namespace
}  // namespace weft
