// Files of pictures and labels in the form of MNIST (IDX), plain or gzip-compressed.
#ifndef WEFT_DATA_IMAGES_IDX_H_
#define WEFT_DATA_IMAGES_IDX_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/data/images/image.h"

namespace weft::data {

inline constexpr int64_t kMaxIdxBytes = int64_t{1} << 32;  // of pixels or labels

// Grey pictures of one size.
struct IdxImages {
  int64_t count = 0, height = 0, width = 0;
  std::vector<uint8_t> pixels;  // [count, height, width]

  Image image(int64_t i) const;  // throws ShapeError for an index out of range
};

// Reads pictures: the magic number 0x00000803, their count, rows and columns, each 32 bits with the
// highest byte first, and the pixels. Throws FileError for a file that cannot be read, FormatError
// for one that begins with another number, has over kMaxPixels pixels a picture or kMaxIdxBytes in
// all, or is longer or shorter than its header says. Memory grows only with the bytes that the file
// has.
IdxImages read_idx_images(const std::string& path);
// Reads labels: the magic number 0x00000801, their count, and a byte each. Throws likewise.
std::vector<uint8_t> read_idx_labels(const std::string& path);
// The same of bytes in memory, not compressed; `name` stands in errors for the file.
IdxImages parse_idx_images(std::span<const uint8_t> bytes, const std::string& name);
std::vector<uint8_t> parse_idx_labels(std::span<const uint8_t> bytes, const std::string& name);

// Whether bytes begin with one of the two magic numbers.
bool begins_as_idx(std::string_view bytes);
// Whether a file does. Throws FileError for one that cannot be
// read and for a pipe, which it would use up; FormatError for a compressed one whose beginning is
// damaged.
bool is_idx(const std::string& path);

}  // namespace weft::data

#endif  // WEFT_DATA_IMAGES_IDX_H_
