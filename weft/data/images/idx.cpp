#include "weft/data/images/idx.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "weft/core/error.h"
#include "weft/data/text/text_file.h"

namespace weft::data {
namespace {

constexpr uint32_t kIdxImages = 0x803, kIdxLabels = 0x801;  // bytes, of three dimensions or one
constexpr int64_t kFirstReserve = int64_t{1} << 26;

uint32_t big_endian(std::string_view bytes, size_t i) {
  uint32_t value = 0;
  for (const char c : bytes.substr(4 * i, 4)) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

std::string hexadecimal(uint32_t number) { return fmt::format("0x{:08x}", number); }

// Takes the bytes of a file piece by piece.
class IdxReader {
 public:
  IdxReader(uint32_t magic, const std::string& name)
      : name_(name), magic_(magic), head_bytes_(magic == kIdxImages ? 16 : 8) {}

  bool take(std::string_view piece) {
    if (head_.size() < head_bytes_) {
      const size_t size = std::min(piece.size(), head_bytes_ - head_.size());
      head_ += piece.substr(0, size);
      piece.remove_prefix(size);
      if (head_.size() < head_bytes_) return true;
      read_head();
    }
    if (std::ssize(piece) > expected_ - std::ssize(out_.pixels)) {
      fail<FormatError>(name_, "is longer than its header says; expected {} bytes",
                        std::ssize(head_) + expected_);
    }
    out_.pixels.insert(out_.pixels.end(), piece.begin(), piece.end());
    return true;
  }

  IdxImages finish() {
    if (head_.size() >= 4) check_magic();
    if (head_.size() < head_bytes_) {
      fail<FormatError>(name_, "expected an IDX file with a header of {} bytes, got {} bytes",
                        head_bytes_, head_.size());
    }
    if (std::ssize(out_.pixels) < expected_) {
      fail<FormatError>(name_, "is cut off; expected {} bytes, got {}",
                        std::ssize(head_) + expected_, head_.size() + out_.pixels.size());
    }
    return std::move(out_);
  }

 private:
  void check_magic() const {
    const uint32_t magic = big_endian(head_, 0);
    if (magic == magic_) return;
    fail<FormatError>(name_, "expected an IDX file of {} ({} at its start), got {}",
                      magic_ == kIdxImages ? "pictures" : "labels", hexadecimal(magic_),
                      magic == kIdxImages   ? "one of pictures"
                      : magic == kIdxLabels ? "one of labels"
                                            : hexadecimal(magic));
  }

  void read_head() {
    check_magic();
    out_.count = big_endian(head_, 1);
    out_.height = magic_ == kIdxImages ? big_endian(head_, 2) : 1;
    out_.width = magic_ == kIdxImages ? big_endian(head_, 3) : 1;
    if (out_.height < 1 || out_.width < 1 || out_.height > kMaxPixels / out_.width ||
        out_.count > kMaxIdxBytes / (out_.height * out_.width)) {
      fail<FormatError>(name_,
                        "expected pictures of 1 to {} pixels and {} in all, got {} of {} x {}",
                        kMaxPixels, kMaxIdxBytes, out_.count, out_.height, out_.width);
    }
    expected_ = out_.count * out_.height * out_.width;
    out_.pixels.reserve(std::min(expected_, kFirstReserve));
  }

  const std::string& name_;
  uint32_t magic_;
  size_t head_bytes_;
  std::string head_;
  int64_t expected_ = 0;  // bytes after the header
  IdxImages out_;         // labels stand as pictures of one pixel
};

IdxImages read_idx(const std::string& path, uint32_t magic) {
  IdxReader reader(magic, path);
  read_pieces(path, Pipes::kRead, [&](std::string_view piece) { return reader.take(piece); });
  return reader.finish();
}

IdxImages parse_idx(std::span<const uint8_t> bytes, const std::string& name, uint32_t magic) {
  IdxReader reader(magic, name);
  reader.take({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return reader.finish();
}

}  // namespace

Image IdxImages::image(int64_t i) const {
  if (i < 0 || i >= count) {
    fail<ShapeError>("IDX pictures", "expected an index of 0 to {}, got {}", count - 1, i);
  }
  const auto begin = pixels.begin() + i * height * width;
  return {
      .height = height, .width = width, .channels = 1, .pixels = {begin, begin + height * width}};
}

IdxImages read_idx_images(const std::string& path) { return read_idx(path, kIdxImages); }

std::vector<uint8_t> read_idx_labels(const std::string& path) {
  return read_idx(path, kIdxLabels).pixels;
}

IdxImages parse_idx_images(std::span<const uint8_t> bytes, const std::string& name) {
  return parse_idx(bytes, name, kIdxImages);
}

std::vector<uint8_t> parse_idx_labels(std::span<const uint8_t> bytes, const std::string& name) {
  return parse_idx(bytes, name, kIdxLabels).pixels;
}

bool begins_as_idx(std::string_view bytes) {
  if (bytes.size() < 4) return false;
  const uint32_t magic = big_endian(bytes, 0);
  return magic == kIdxImages || magic == kIdxLabels;
}

bool is_idx(const std::string& path) {
  std::string head;
  read_pieces(path, Pipes::kRefused, [&](std::string_view piece) {
    head += piece.substr(0, 4 - head.size());
    return head.size() < 4;
  });
  return begins_as_idx(head);
}

}  // namespace weft::data
