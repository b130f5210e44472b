#include "weft/data/images/image_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "weft/core/error.h"
#include "weft/core/files/open_file.h"
#include "weft/data/images/jpeg.h"
#include "weft/data/images/png.h"

namespace weft::data {
namespace {

constexpr size_t kMaxImageFileBytes = size_t{1} << 30;
constexpr size_t kPieceBytes = size_t{1} << 16;

bool is_png(std::string_view bytes) { return bytes.starts_with("\x89PNG\r\n\x1A\n"); }
bool is_jpeg(std::string_view bytes) { return bytes.starts_with("\xFF\xD8\xFF"); }

// Throws unless the bytes begin as those of a picture.
void check_signature(std::span<const uint8_t> bytes, const std::string& name) {
  const std::string_view head(reinterpret_cast<const char*>(bytes.data()),
                              std::min<size_t>(bytes.size(), 8));
  if (is_png(head) || is_jpeg(head)) return;
  if (head.empty()) fail<FormatError>(name, "is empty; expected a PNG or JPEG file");
  fail<FormatError>(name, "expected a PNG or JPEG file, got one that begins with {}", quote(head));
}

}  // namespace

Image read_image(const std::string& path) {
  const int descriptor = open_for_reading(path, Pipes::kRefused);
  const std::unique_ptr<FILE, int (*)(FILE*)> file(fdopen(descriptor, "rb"), fclose);
  if (!file) fail<FileError>(path, "cannot be read: {}", std::strerror(errno));
  std::vector<uint8_t> bytes;
  size_t size = 0;
  do {
    bytes.resize(size + std::max(size, kPieceBytes));
    const size_t got = fread(bytes.data() + size, 1, bytes.size() - size, file.get());
    if (ferror(file.get())) fail<FileError>(path, "cannot be read: {}", std::strerror(errno));
    if (size == 0) check_signature({bytes.data(), got}, path);
    size += got;
    if (size > kMaxImageFileBytes) {
      fail<FormatError>(path, "is too large; expected at most {} bytes", kMaxImageFileBytes);
    }
  } while (size == bytes.size());
  return decode_image({bytes.data(), size}, path);
}

Image read_image_of(const std::string& path, const std::string& where) {
  try {
    return read_image(path);
  } catch (const Error& error) {
    fail<FormatError>(where, "{}", error.what());
  }
}

Image decode_image(std::span<const uint8_t> bytes, const std::string& name) {
  check_signature(bytes, name);
  return bytes[0] == 0xFF ? decode_jpeg(bytes, name) : decode_png(bytes, name);
}

}  // namespace weft::data
