#include "weft/data/text/text_file.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "tests/data/files.h"
#include "weft/core/error.h"

namespace weft::data {
namespace {

using ::testing::Test;

class TextFileTest : public Test {
 protected:
  TempFolder folder;
};

struct SeenLines {
  std::vector<std::string> lines;
  std::vector<int64_t> too_long;
};

SeenLines seen_in(const std::string& path, size_t limit = kMaxLineBytes) {
  TextFile file(path, limit);
  SeenLines seen;
  while (file.next()) {
    seen.lines.emplace_back(file.line());
    if (file.is_too_long()) seen.too_long.push_back(file.line_number());
  }
  EXPECT_FALSE(file.next()) << "the end is the end";
  EXPECT_EQ(file.line_number(), std::ssize(seen.lines));
  return seen;
}

using Lines = std::vector<std::string>;

TEST_F(TextFileTest, LinesEndWhereTheyShould) {
  const struct {
    std::string bytes;
    Lines lines;
  } cases[] = {
      {"", {}},
      {"\n", {""}},
      {"a", {"a"}},
      {"a\n", {"a"}},
      {"a\n\nb\n", {"a", "", "b"}},
      {"a\r\nb\r\n", {"a", "b"}},
      {"a\r\r\n\r", {"a\r", ""}},
      {"\xEF\xBB\xBF"
       "a\n\xEF\xBB\xBF"
       "b",
       {"a",
        "\xEF\xBB\xBF"
        "b"}},
      {"\xEF\xBB\xBF\r\n", {""}},
      {std::string("a\0b\n", 4), {std::string("a\0b", 3)}},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(seen_in(folder.write("text", c.bytes)).lines, c.lines) << c.bytes;
    EXPECT_EQ(seen_in(folder.write("text.gz", c.bytes)).lines, c.lines);
  }
}

TEST_F(TextFileTest, CompressionIsToldByContentNotByName) {
  folder.write("really.gz", "compressed\n");
  std::filesystem::rename(folder.path("really.gz"), folder.path("plain_name"));
  EXPECT_EQ(seen_in(folder.path("plain_name")).lines, Lines{"compressed"});
}

TEST_F(TextFileTest, CompressedMembersAreReadOneAfterTheOther) {
  const std::string first = test::read_bytes(folder.write("1.gz", "a\nb"));
  const std::string second = test::read_bytes(folder.write("2.gz", "c\n"));
  const std::string path = folder.write("both", first + second);
  EXPECT_EQ(seen_in(path).lines, (Lines{"a", "bc"}));
  EXPECT_EQ(seen_in(folder.write("padded", first + second + std::string(512, '\0'))).lines,
            (Lines{"a", "bc"}));
  EXPECT_THAT(message_of<FormatError>([&] {
                seen_in(folder.write("cut", first + second.substr(0, second.size() - 3)));
              }),
              testing::HasSubstr("the compressed file is cut off"));
}

TEST_F(TextFileTest, Utf16WithAMarkIsReadAsUtf8) {
  EXPECT_EQ(seen_in(folder.write("little", std::string("\xFF\xFE"
                                                       "a\0\r\0\n\0\xE9\0",
                                                       10)))
                .lines,
            (Lines{"a", "\xC3\xA9"}));
  EXPECT_EQ(seen_in(folder.write("big.gz", std::string("\xFE\xFF\0a\0\n\0b", 8))).lines,
            (Lines{"a", "b"}));
  const std::string odd = folder.write("odd", std::string("\xFF\xFE"
                                                          "a\0b",
                                                          5));
  EXPECT_EQ(message_of<FormatError>([&] { read_lines(odd); }), odd + ": line 1 is not UTF-8");
}

TEST_F(TextFileTest, APipeIsReadAsItComes) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  TextFile file("/dev/fd/" + std::to_string(ends[0]));
  const auto write = [&](std::string_view text) {
    ASSERT_EQ(::write(ends[1], text.data(), text.size()), std::ssize(text));
  };
  EXPECT_FALSE(file.is_ready());
  write("a\nb");
  EXPECT_TRUE(file.is_ready());
  EXPECT_TRUE(file.next());
  EXPECT_EQ(file.line(), "a");
  EXPECT_FALSE(file.is_ready());
  write("c\n");
  EXPECT_TRUE(file.is_ready());
  EXPECT_TRUE(file.next());
  EXPECT_EQ(file.line(), "bc");
  EXPECT_EQ(file.line_number(), 2);
  write(std::string(11, 'x'));
  ::close(ends[1]);
  EXPECT_TRUE(file.is_ready());  // for its end
  EXPECT_TRUE(file.next());
  EXPECT_EQ(file.line(), "xxxxxxxxxxx");
  EXPECT_TRUE(file.is_ready());
  EXPECT_FALSE(file.next());
  ::close(ends[0]);
}

TEST_F(TextFileTest, LinesThatCrossBuffersAreWhole) {
  Lines expected;
  std::string bytes;
  for (int i = 0; i < 3000; ++i) {
    expected.push_back(std::string(1 + (i * 7919) % 997, static_cast<char>('a' + i % 26)));
    bytes += expected.back() + "\n";
  }
  expected.push_back(std::string(700000, 'z'));
  bytes += expected.back();
  EXPECT_EQ(seen_in(folder.write("text", bytes)).lines, expected);
  EXPECT_EQ(seen_in(folder.write("text.gz", bytes)).lines, expected);
}

TEST_F(TextFileTest, ALineOverTheLimitIsEmptyAndMarked) {
  const std::string path =
      folder.write("text", "a\n" + std::string(10'000'000, 'x') + "\nb\n" + std::string(11, 'y'));
  const SeenLines seen = seen_in(path, 10);
  EXPECT_EQ(seen.lines, (Lines{"a", "", "b", ""}));
  EXPECT_EQ(seen.too_long, (std::vector<int64_t>{2, 4}));
}

TEST_F(TextFileTest, ALineOverTheLimitIsSoWhereverItsBuffersEnd) {
  for (const size_t size : {size_t{1} << 18, (size_t{1} << 18) + 5, (size_t{1} << 19) + 1}) {
    const SeenLines seen = seen_in(folder.write("text", std::string(size, 'x') + "\nb\n"), 10);
    EXPECT_EQ(seen.lines, (Lines{"", "b"}));
    EXPECT_EQ(seen.too_long, std::vector<int64_t>{1});
  }
}

TEST_F(TextFileTest, ALineAtTheLimitIsRead) {
  const SeenLines seen = seen_in(folder.write("text", "0123456789\n01234567890\n"), 10);
  EXPECT_EQ(seen.lines, (Lines{"0123456789", ""}));
  EXPECT_EQ(seen.too_long, std::vector<int64_t>{2});
}

TEST_F(TextFileTest, WhatCannotBeOpenedIsNamed) {
  const std::string missing = folder.path("missing.txt");
  EXPECT_EQ(message_of<FileError>([&] { TextFile file(missing); }),
            missing + ": cannot be opened: No such file or directory");
  EXPECT_EQ(message_of<FileError>([&] { TextFile file(folder.path("")); }),
            folder.path("") + ": is a directory; expected a file");
}

TEST_F(TextFileTest, WhatCannotBeReadIsNamed) {
  // The memory of this process: it opens, but its first page cannot be read.
  EXPECT_EQ(message_of<FileError>([] { seen_in("/proc/self/mem"); }),
            "/proc/self/mem: cannot be read: Input/output error");
}

TEST_F(TextFileTest, ACompressedFileCutOffIsAnErrorAtItsEnd) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += std::to_string(i * 7919LL * 104729) + "\n";
  const std::string path = folder.write("text.gz", text);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 100);
  const std::string message = message_of<FormatError>([&] { seen_in(path); });
  EXPECT_TRUE(message.starts_with(path + ": the compressed file is cut off after line 9"))
      << message;
}

TEST_F(TextFileTest, ADamagedCompressedFileIsAnError) {
  const std::string path = folder.write("text.gz", "some text\nsome more text\n");
  std::string bytes = test::read_bytes(path);
  bytes[bytes.size() - 6] ^= 1;  // the checksum
  std::ofstream(path, std::ios::binary) << bytes;
  const std::string message = message_of<FormatError>([&] { seen_in(path); });
  EXPECT_TRUE(message.starts_with(path + ": the compressed file is damaged")) << message;
}

TEST_F(TextFileTest, AllLinesAreReadStrictly) {
  EXPECT_EQ(read_lines(folder.write("good", "a\nb")), (Lines{"a", "b"}));
  const std::string latin = folder.write("latin", "a\nGr\xFC\xDF\n");
  EXPECT_EQ(message_of<FormatError>([&] { read_lines(latin); }), latin + ": line 2 is not UTF-8");
  const std::string wide = folder.write("wide", "a\n" + std::string(kMaxLineBytes + 1, 'x') + "\n");
  EXPECT_EQ(message_of<FormatError>([&] { read_lines(wide); }),
            wide + ": line 2 is over 1048576 bytes");
}

TEST_F(TextFileTest, LinesAreReadUpToALimit) {
  const std::string path = folder.write("lines", std::string(1000, '\n'));
  EXPECT_EQ(read_lines(path).size(), 1000u);
  EXPECT_EQ(message_of<FormatError>([&] { read_lines(path, 1000); }),
            path + ": is too large; expected lines of at most 1000 bytes in memory");
}

TEST_F(TextFileTest, WhatHasNoLineEndIsNoText) {
  const std::string expected =
      "/dev/zero: no line end in 256 MiB after line 0; expected lines of text";
  EXPECT_EQ(message_of<FormatError>([] { TextFile("/dev/zero").next(); }), expected);
  EXPECT_EQ(message_of<FormatError>([] { read_lines("/dev/zero"); }), expected);
}

TEST_F(TextFileTest, BytesAreReadUpToALimit) {
  const std::string path = folder.write("bytes.gz", std::string("a\0\r\n", 4));
  EXPECT_EQ(read_bytes(path, Pipes::kRead), std::string("a\0\r\n", 4));
  EXPECT_EQ(message_of<FormatError>([&] { read_bytes(path, Pipes::kRead, 3); }),
            path + ": is too large; expected at most 3 bytes");
}

}  // namespace
}  // namespace weft::data
