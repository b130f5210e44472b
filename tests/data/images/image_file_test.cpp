#include "weft/data/images/image_file.h"

#include <gmock/gmock.h>

#include "tests/data/files.h"
#include "tests/data/images/images_golden.h"
#include "weft/core/error.h"
#include "weft/data/images/png.h"

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

// libpng's own limit is a million.
TEST(ImageFileTest, WritesPicturesOfAnyWidthThatItReads) {
  constexpr int64_t kWidth = 1'000'001;
  for (const auto& [height, width] : {std::pair<int64_t, int64_t>{1, kWidth}, {kWidth, 1}}) {
    Image image{.height = height, .width = width, .channels = 1, .pixels = {}};
    for (int64_t i = 0; i < kWidth; ++i) image.pixels.push_back(static_cast<uint8_t>(i >> 12));
    const std::string bytes = encode_png(image);
    expect_image(decode_image({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, "a"),
                 image, 0);
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

// progressive.jpg with its scan of all but the first coefficient of a component repeated.
std::string with_more_scans(int copies) {
  std::string bytes = test::read_bytes(image_path("progressive.jpg"));
  const std::string coefficients("\x01\x3F\x01", 3);  // from 1 to 63, without the lowest bit
  size_t start = 0;
  do {
    start = bytes.find(std::string("\xFF\xDA\0\x08\x01", 5), start + 1);
  } while (start != bytes.npos && bytes.substr(start + 7, 3) != coefficients);
  if (start == bytes.npos) throw std::runtime_error("no such scan in progressive.jpg");
  const size_t tables = bytes.rfind("\xFF\xC4", start), end = bytes.find("\xFF\xC4", start);
  std::string scan = bytes.substr(tables, end - tables);
  scan[start + 9 - tables] = 0;  // with the lowest bit, as all that came before
  std::string more;
  for (int i = 0; i < copies; ++i) more += scan;
  return bytes.insert(bytes.size() - 2, more);
}

TEST(ImageFileTest, LimitsTheScansOfAPicture) {
  const auto decode = [](int copies) {
    const std::string bytes = with_more_scans(copies);
    return decode_image(Bytes(bytes.begin(), bytes.end()), "some file");
  };
  EXPECT_EQ(decode(90).width, 37);
  EXPECT_THAT(message_of<FormatError>([&] { decode(100); }), HasSubstr("has too many scans"));
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
  const std::string part =
      folder.file("part.png", test::read_bytes(image_path("rgb_8.png")).substr(0, 100));
  EXPECT_THAT(message(part), StartsWith(part + ": the PNG file cannot be decoded: it is cut off"));
  EXPECT_THAT(message_of<FileError>([&] { read_image(folder.path("none.png")); }),
              HasSubstr("none.png: cannot be opened"));
  EXPECT_THAT(message_of<FileError>([&] { read_image(folder.folder()); }),
              HasSubstr("is a directory"));
}

// A pipe that nobody writes to would block for ever; a device may have no end.
TEST(ImageFileTest, RefusesPipesAndDevices) {
  const test::Scratch folder;
  const std::string fifo = folder.path("fifo.png");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  for (const std::string& path : {fifo, std::string("/dev/zero")}) {
    EXPECT_EQ(message_of<FileError>([&] { read_image(path); }),
              path + ": is a pipe or a device; expected a regular file");
  }
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

TEST(ImageFileTest, ReadsLargeFiles) {
  std::string text = "tEXtcomment" + std::string(1, '\0') + std::string(300000, 'x');
  const auto big_endian = [](size_t value) {
    std::string out;
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift);
    return out;
  };
  const auto* data = reinterpret_cast<const Bytef*>(text.data());
  text = big_endian(text.size() - 4) + text +
         big_endian(crc32(0, data, static_cast<uInt>(text.size())));
  std::string bytes = test::read_bytes(image_path("rgb_8.png"));
  bytes.insert(33, text);  // after the header
  const test::Scratch folder;
  EXPECT_EQ(read_image(folder.file("long.png", bytes)).pixels,
            read_image(image_path("rgb_8.png")).pixels);
}

}  // namespace
}  // namespace weft::data
