#include "weft/data/images/idx.h"

#include <gmock/gmock.h>

#include "tests/data/files.h"
#include "tests/data/images/images_golden.h"
#include "weft/core/error.h"

namespace weft::data {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::Test;

std::string idx_bytes(const std::vector<uint32_t>& head, size_t size) {
  std::string out;
  for (const uint32_t value : head) {
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift);
  }
  for (size_t i = 0; i < size; ++i) out += static_cast<char>(i * 7);
  return out;
}

class IdxTest : public Test {
 protected:
  // Of the file, plain and compressed: both messages are the same but for the path.
  template <class Read>
  std::string refusal(const std::string& bytes, Read read) {
    const std::string plain = folder.write("file", bytes), packed = folder.write("f.gz", bytes);
    const std::string message = message_of<FormatError>([&] { read(plain); });
    EXPECT_THAT(message, StartsWith(plain + ": "));
    EXPECT_EQ(message_of<FormatError>([&] { read(packed); }).substr(packed.size()),
              message.substr(plain.size()));
    return message;
  }

  TempFolder folder;
};

TEST_F(IdxTest, ReadsPicturesAndLabels) {
  const std::string bytes = test::read_bytes(image_path("images.idx"));
  for (const std::string& path : {image_path("images.idx"), folder.write("images.gz", bytes)}) {
    const IdxImages images = read_idx_images(path);
    EXPECT_THAT((std::vector{images.count, images.height, images.width}), ElementsAre(3, 4, 5));
    EXPECT_EQ(std::string(images.pixels.begin(), images.pixels.end()), bytes.substr(16));
    const Image last = images.image(2);
    EXPECT_THAT((std::vector{last.height, last.width, last.channels}), ElementsAre(4, 5, 1));
    EXPECT_EQ(std::string(last.pixels.begin(), last.pixels.end()), bytes.substr(16 + 40));
  }
  EXPECT_THAT(read_idx_labels(image_path("labels.idx")), ElementsAre(7, 0, 255));
}

TEST_F(IdxTest, ReadsFilesLargerThanABuffer) {
  const std::string bytes = idx_bytes({0x803, 1000, 28, 28}, 784000);
  for (const char* name : {"large", "large.gz"}) {
    const IdxImages images = read_idx_images(folder.write(name, bytes));
    EXPECT_EQ(std::string(images.pixels.begin(), images.pixels.end()), bytes.substr(16));
  }
}

TEST_F(IdxTest, ReadsFilesWithoutAnyPicture) {
  EXPECT_EQ(read_idx_images(folder.write("none", idx_bytes({0x803, 0, 28, 28}, 0))).count, 0);
  EXPECT_TRUE(read_idx_labels(folder.write("none", idx_bytes({0x801, 0}, 0))).empty());
}

TEST_F(IdxTest, IsToldByItsFirstBytes) {
  EXPECT_TRUE(is_idx(image_path("images.idx")));
  EXPECT_TRUE(is_idx(image_path("labels.idx")));
  EXPECT_TRUE(is_idx(folder.write("a.gz", idx_bytes({0x803}, 0))));
  EXPECT_FALSE(is_idx(folder.write("b.gz", idx_bytes({0x802}, 0))));
  EXPECT_FALSE(is_idx(folder.write("short", std::string("\0\0\x08", 3))));
  EXPECT_FALSE(is_idx(folder.write("empty", "")));
  EXPECT_FALSE(is_idx(image_path("grey.jpg")));
  EXPECT_THAT(message_of<FileError>([&] { is_idx(folder.path("none")); }), HasSubstr("none"));
}

TEST_F(IdxTest, RefusesAndSaysWhatWasExpected) {
  const struct {
    std::string bytes, message;
  } cases[] = {
      {"", "expected an IDX file with a header of 16 bytes, got 0 bytes"},
      {idx_bytes({0x803, 3, 4}, 0), "expected an IDX file with a header of 16 bytes, got 12 bytes"},
      {"text of any kind\n", "expected an IDX file of pictures (0x00000803 at its start), got 0x7"},
      {idx_bytes({0x801, 3}, 3), "(0x00000803 at its start), got one of labels"},
      {idx_bytes({0x803, 3, 4, 5}, 59), "is cut off; expected 76 bytes, got 75"},
      {idx_bytes({0x803, 3, 4, 5}, 61), "is longer than its header says; expected 76 bytes"},
      {idx_bytes({0x803, 3, 0, 5}, 0), "expected pictures of 1 to 67108864 pixels"},
      {idx_bytes({0x803, 3, 5, 0}, 0), "expected pictures of 1 to 67108864 pixels"},
      {idx_bytes({0x803, 1, 8193, 8192}, 9), "got 1 of 8193 x 8192"},
      {idx_bytes({0x803, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}, 9), "got 4294967295 of 4294967295"},
      {idx_bytes({0x803, 0xFFFFFFFF, 28, 28}, 9), "4294967296 in all, got 4294967295 of 28 x 28"},
      {idx_bytes({0x803, 5000000, 28, 28}, 9), "is cut off; expected 3920000016 bytes, got 25"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(refusal(c.bytes, read_idx_images), HasSubstr(c.message));
  }
  EXPECT_THAT(
      refusal(idx_bytes({0x803, 1, 1, 1}, 1), read_idx_labels),
      HasSubstr("expected an IDX file of labels (0x00000801 at its start), got one of pic"));
  EXPECT_THAT(refusal(idx_bytes({0x801, 9}, 8), read_idx_labels),
              HasSubstr("is cut off; expected 17 bytes, got 16"));
  EXPECT_THAT(refusal(idx_bytes({0x801, 9}, 10), read_idx_labels), HasSubstr("is longer than"));
}

TEST_F(IdxTest, AFileCutOffAnywhereIsAnError) {
  const std::vector<uint8_t> bytes = image_bytes("images.idx");
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THAT(
        message_of<FormatError>([&] { parse_idx_images(std::span(bytes).first(size), "file"); }),
        AllOf(StartsWith("file: "), HasSubstr("expected")));
  }
  const std::string packed = test::read_bytes(folder.write("whole.gz", idx_bytes({0x801, 90}, 90)));
  for (size_t size = 1; size < packed.size(); ++size) {
    const std::string path = folder.file("part.gz", packed.substr(0, size));
    EXPECT_NE(message_of<FormatError>([&] { read_idx_labels(path); }), "") << size;
  }
}

TEST_F(IdxTest, PicturesAreCounted) {
  const IdxImages images = read_idx_images(image_path("images.idx"));
  for (const int64_t i : {-1, 3}) {
    EXPECT_THAT(message_of<ShapeError>([&] { images.image(i); }),
                HasSubstr("expected an index of 0 to 2, got " + std::to_string(i)));
  }
}

}  // namespace
}  // namespace weft::data
