// Fuzzes the readers of pictures, PNG, JPEG and IDX (libFuzzer):
//
//   cmake --preset fuzz && cmake --build --preset fuzz
//   build/fuzz/tests/weft_image_fuzz -max_len=4096 -max_total_time=600 corpus tests/golden/images
//
// `corpus` is a folder for what it finds; the other one holds small files of every kind.
#include <zlib.h>

#include <cstdint>
#include <span>
#include <vector>

#include "weft/core/error.h"
#include "weft/data/images/idx.h"
#include "weft/data/images/image_file.h"

namespace {

using namespace weft::data;

constexpr int64_t kMostToResize = 1 << 16;  // pixels, so that one input takes little time

void require(bool holds) {
  if (!holds) __builtin_trap();
}

void check_pixels(const Image& image) {
  require(image.height >= 1 && image.width >= 1 && image.height <= kMaxPixels / image.width);
  require(image.channels == 1 || image.channels == 3);
  require(static_cast<int64_t>(image.pixels.size()) == image.height * image.width * image.channels);
}

void use(const Image& image) {
  check_pixels(image);
  if (image.height * image.width > kMostToResize) return;
  check_pixels(with_channels(image, 1));
  check_pixels(with_channels(image, 3));
  check_pixels(resize(image, 7, 5));
  check_pixels(resize(image, 1, 40));
  require(resize(image, image.height, image.width).pixels == image.pixels);
}

// With the checksums that its chunks should have, without which libpng would look no further: each
// is a length, a name of 4 bytes, that many bytes, and the checksum of the last two.
std::vector<uint8_t> with_png_checksums(std::span<const uint8_t> bytes) {
  std::vector<uint8_t> out(bytes.begin(), bytes.end());
  size_t begin = 8;
  while (out.size() >= begin + 12) {
    size_t length = 0;
    for (size_t i = 0; i < 4; ++i) length = length << 8 | out[begin + i];
    if (length > out.size() - begin - 12) break;
    const uLong checksum = crc32(0, out.data() + begin + 4, static_cast<uInt>(length + 4));
    begin += 12 + length;
    for (size_t i = 0; i < 4; ++i) {
      out[begin - 4 + i] = static_cast<uint8_t>(checksum >> (24 - 8 * i));
    }
  }
  return out;
}

template <class Act>
void allow_refusal(Act act) {
  try {
    act();
  } catch (const weft::FormatError&) {  // the one kind that bytes may lead to
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span bytes(data, size);
  allow_refusal([&] { use(decode_image(bytes, "fuzz")); });
  allow_refusal([&] { use(decode_image(with_png_checksums(bytes), "fuzz")); });
  allow_refusal([&] { parse_idx_labels(bytes, "fuzz"); });
  allow_refusal([&] {
    const IdxImages images = parse_idx_images(bytes, "fuzz");
    if (images.count > 0) use(images.image(images.count - 1));
  });
  return 0;
}
