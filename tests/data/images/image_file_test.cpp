#include "weft/data/images/image_file.h"

#include <gmock/gmock.h>

#include "tests/data/files.h"
#include "tests/data/images/images_golden.h"
#include "weft/core/error.h"

namespace weft::data {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Bytes = std::vector<uint8_t>;

// The width and height that a PNG or a JPEG of `name` says it has, changed; of a PNG with the
// checksum.
Bytes with_png_size(Bytes bytes, uint32_t width, uint32_t height) {
  for (int i = 0; i < 4; ++i) {
    bytes[16 + i] = static_cast<uint8_t>(width >> (24 - 8 * i));
    bytes[20 + i] = static_cast<uint8_t>(height >> (24 - 8 * i));
  }
  const uint32_t checksum = static_cast<uint32_t>(crc32(0, bytes.data() + 12, 17));
  for (int i = 0; i < 4; ++i) bytes[29 + i] = static_cast<uint8_t>(checksum >> (24 - 8 * i));
  return bytes;
}

Bytes with_jpeg_size(Bytes bytes, uint16_t width, uint16_t height) {
  size_t frame = 0;  // of the marker FFC0
  while (bytes[frame] != 0xFF || bytes[frame + 1] != 0xC0) ++frame;
  bytes[frame + 5] = static_cast<uint8_t>(height >> 8);
  bytes[frame + 6] = static_cast<uint8_t>(height);
  bytes[frame + 7] = static_cast<uint8_t>(width >> 8);
  bytes[frame + 8] = static_cast<uint8_t>(width);
  return bytes;
}

std::string refusal(const Bytes& bytes) {
  return message_of<FormatError>([&] { decode_image(bytes, "some file"); });
}

// Pillow drops the lower byte of 16 bits, and rounds each step of a composition.
int tolerance(const std::string& name) {
  if (name == "interlaced_6_16.png") return 2;
  const bool has_16_bits = name.find("16") != name.npos;
  const bool has_alpha = name.find("alpha") != name.npos ||
                         (name.starts_with("palette") && name.ends_with("transparent.png"));
  return (has_16_bits ? 1 : 0) + (has_alpha ? 1 : 0);
}

TEST(ImageFileTest, ReadsWhatPillowReads) {
  ASSERT_EQ(images_golden()["decoded"].size(), 40);
  for (const auto& [name, json] : images_golden()["decoded"].items()) {
    SCOPED_TRACE(name);
    expect_image(read_image(image_path(name)), golden_image(json), tolerance(name));
  }
}

TEST(ImageFileTest, TheContentTellsTheKindAndTheNameDoesNot) {
  const test::Scratch folder;
  const std::string path = folder.file("picture.png", test::read_bytes(image_path("grey.jpg")));
  EXPECT_EQ(read_image(path).pixels, read_image(image_path("grey.jpg")).pixels);
}

TEST(ImageFileTest, IgnoresBytesAfterThePicture) {
  for (const char* name : {"rgb_8.png", "grey.jpg"}) {
    Bytes bytes = image_bytes(name);
    bytes.insert(bytes.end(), 1000, 7);
    EXPECT_EQ(decode_image(bytes, name).pixels, read_image(image_path(name)).pixels) << name;
  }
}

TEST(ImageFileTest, APictureCutOffAnywhereIsAnError) {
  for (const char* name : {"grey_1.png", "rgb_8.png", "interlaced_6_16.png", "palette_4.png",
                           "grey.jpg", "ycbcr_420.jpg", "progressive.jpg", "restarts.jpg"}) {
    const Bytes bytes = image_bytes(name);
    for (size_t size = 0; size < bytes.size(); ++size) {
      // A copy of its own, so that AddressSanitizer sees a byte read too far.
      const Bytes part(bytes.begin(), bytes.begin() + static_cast<int64_t>(size));
      EXPECT_THAT(refusal(part), AllOf(StartsWith("some file: "), HasSubstr("expected")))
          << name << " of " << size << " bytes";
    }
  }
}

TEST(ImageFileTest, DamageIsAnErrorOrAPictureOfTheSameKind) {
  for (const char* name : {"rgb_8.png", "palette_8_transparent.png", "ycbcr_420.jpg",
                           "progressive.jpg", "restarts.jpg"}) {
    const Bytes bytes = image_bytes(name);
    for (size_t i = 0; i < bytes.size(); ++i) {
      Bytes damaged = bytes;
      damaged[i] ^= 0x55;
      try {
        const Image image = decode_image(damaged, name);
        EXPECT_EQ(std::ssize(image.pixels), image.height * image.width * image.channels);
      } catch (const FormatError&) {
      }
    }
  }
}

TEST(ImageFileTest, RefusesAndSaysWhatWasExpected) {
  const auto bytes_of = [](std::string_view text) { return Bytes(text.begin(), text.end()); };
  const Bytes png = image_bytes("rgb_8.png"), jpeg = image_bytes("grey.jpg");
  Bytes bad_checksum = png;
  bad_checksum[bad_checksum.size() - 20] ^= 1;
  const struct {
    Bytes bytes;
    std::string message;
  } cases[] = {
      {{}, "is empty; expected a PNG or JPEG file"},
      {bytes_of("plain text\n"),
       "expected a PNG or JPEG file, got one that begins with 'plain te'"},
      {bytes_of("GIF89a"), "expected a PNG or JPEG file, got one that begins with 'GIF89a'"},
      {bytes_of("\x89PNG\r\n"), "expected a PNG or JPEG file"},
      {bytes_of("\xFF\xD8\xFF"), "the JPEG file cannot be decoded: "},
      {bad_checksum,
       "the PNG file cannot be decoded: IDAT: incorrect data check; expected a whole one"},
      {with_png_size(png, 100000, 100000), "has 100000 x 100000 pixels; expected at most 67108864"},
      {with_png_size(png, 0x7FFFFFFF, 1), "expected a whole one of at most 67108864 pixels"},
      {with_png_size(png, 0, 1), "the PNG file cannot be decoded: "},
      {with_png_size(png, 8192, 8192), "428 bytes cannot hold 8192 x 8192 pixels"},
      {with_png_size(png, 13, 10), "the PNG file cannot be decoded: "},
      {with_jpeg_size(jpeg, 65000, 65000), "has 65000 x 65000 pixels; expected at most 67108864"},
      {with_jpeg_size(jpeg, 65535, 65535), "the JPEG file cannot be decoded: "},
      {with_jpeg_size(jpeg, 8192, 8192), "447 bytes cannot hold 8192 x 8192 pixels"},
      {image_bytes("cmyk.jpg"), "expected a JPEG file of grey, YCbCr or RGB, got "},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(refusal(c.bytes), AllOf(StartsWith("some file: "), HasSubstr(c.message)));
  }
}

TEST(ImageFileTest, ErrorsOfFilesNameThem) {
  const test::Scratch folder;
  const auto message = [](const std::string& path) {
    return message_of<FormatError>([&] { read_image(path); });
  };
  const std::string text = folder.file("text.png", std::string(100000, 'a'));
  EXPECT_THAT(message(text), StartsWith(text + ": expected a PNG or JPEG file"));
  const std::string empty = folder.file("empty.png", "");
  EXPECT_EQ(message(empty), empty + ": is empty; expected a PNG or JPEG file");
  EXPECT_THAT(message_of<FileError>([&] { read_image(folder.path("none.png")); }),
              HasSubstr("none.png: cannot be opened"));
  EXPECT_THAT(message_of<FileError>([&] { read_image(folder.folder()); }),
              HasSubstr("is a directory"));
}

TEST(ImageFileTest, LibrariesPrintNothing) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  Bytes jpeg = image_bytes("ycbcr_420.jpg");
  jpeg.resize(jpeg.size() - 30);
  refusal(jpeg);
  Bytes png = image_bytes("rgb_8.png");
  png.resize(png.size() - 30);
  refusal(png);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(ImageFileTest, ReadsAFileLargerThanAPiece) {
  const test::Scratch folder;
  std::string padded = test::read_bytes(image_path("rgb_8.png"));
  padded.append(200000, 'x');
  EXPECT_EQ(read_image(folder.file("long.png", padded)).pixels,
            read_image(image_path("rgb_8.png")).pixels);
}

}  // namespace
}  // namespace weft::data
