#include "weft/formats/torch/zip_entries.h"

#include <cstdint>
#include <optional>

#include "weft/core/error.h"

// APPNOTE.TXT of PKWARE says what the fields are.
namespace weft::formats {
namespace {

constexpr std::string_view kEndMark("PK\x05\x06", 4), kEnd64Mark("PK\x06\x06", 4);
constexpr std::string_view kLocatorMark("PK\x06\x07", 4), kEntryMark("PK\x01\x02", 4);
constexpr std::string_view kLocalMark("PK\x03\x04", 4);
constexpr size_t kEndSize = 22, kLocatorSize = 20, kEnd64Size = 56, kEntrySize = 46;
constexpr size_t kLocalSize = 30, kMaxComment = 65535;
constexpr uint32_t kIn64Bits = 0xFFFFFFFF;  // the number is in a field of 64 bits
constexpr uint16_t kEncrypted = 1;          // a flag
constexpr uint16_t kZip64Field = 1;         // an extra field

struct ZipEntry {
  std::string name;
  uint64_t size = 0, packed = 0, offset = 0;
};

class ZipReader {
 public:
  ZipReader(std::string_view where, std::string_view file) : where_(where), file_(file) {}

  std::map<std::string, std::string_view> read() const {
    const auto [count, begin] = directory();
    std::map<std::string, std::string_view> out;
    uint64_t at = begin;
    for (uint64_t i = 0; i < count; ++i) {
      const ZipEntry entry = read_entry(at);
      if (!out.emplace(entry.name, data_of(entry)).second) {
        fail<FormatError>(where_, "the archive has {} twice", quote(entry.name));
      }
    }
    return out;
  }

 private:
  [[noreturn]] void damaged() const {
    fail<FormatError>(where_, "a damaged zip archive, as of a file that was cut");
  }

  std::string_view part(uint64_t begin, uint64_t size) const {
    if (begin > file_.size() || size > file_.size() - begin) damaged();
    return file_.substr(begin, size);
  }
  template <class T>
  static T number(std::string_view bytes, size_t offset) {
    T out = 0;
    for (size_t i = 0; i < sizeof(T); ++i) {
      out |=
          static_cast<T>(static_cast<T>(static_cast<unsigned char>(bytes[offset + i])) << (8 * i));
    }
    return out;
  }
  std::string_view record(uint64_t begin, uint64_t size, std::string_view mark) const {
    const std::string_view out = part(begin, size);
    if (!out.starts_with(mark)) damaged();
    return out;
  }

  struct Directory {
    uint64_t count, begin;
  };
  Directory directory() const {
    const size_t from =
        file_.size() < kEndSize + kMaxComment ? 0 : file_.size() - kEndSize - kMaxComment;
    const size_t at = file_.rfind(kEndMark);
    if (at == file_.npos || at < from) damaged();
    const std::string_view end = record(at, kEndSize, kEndMark);
    const auto count = number<uint16_t>(end, 10);
    const auto begin = number<uint32_t>(end, 16);
    if (count != UINT16_MAX && begin != kIn64Bits) return {count, begin};
    if (at < kLocatorSize) damaged();
    const std::string_view locator = record(at - kLocatorSize, kLocatorSize, kLocatorMark);
    const std::string_view end64 = record(number<uint64_t>(locator, 8), kEnd64Size, kEnd64Mark);
    return {number<uint64_t>(end64, 32), number<uint64_t>(end64, 48)};
  }

  // Moves the position to the next entry.
  ZipEntry read_entry(uint64_t& position) const {
    const std::string_view fixed = record(position, kEntrySize, kEntryMark);
    const auto name_size = number<uint16_t>(fixed, 28), extra_size = number<uint16_t>(fixed, 30);
    ZipEntry out{.name = std::string(part(position + kEntrySize, name_size)),
                 .size = number<uint32_t>(fixed, 24),
                 .packed = number<uint32_t>(fixed, 20),
                 .offset = number<uint32_t>(fixed, 42)};
    read_zip64(part(position + kEntrySize + name_size, extra_size), out);
    if (number<uint16_t>(fixed, 10) != 0 || (number<uint16_t>(fixed, 8) & kEncrypted) != 0 ||
        out.size != out.packed) {
      fail<FormatError>(where_,
                        "{} is compressed or encrypted; expected it stored, as by torch.save",
                        quote(out.name));
    }
    position += kEntrySize + name_size + extra_size + number<uint16_t>(fixed, 32);
    return out;
  }

  // The numbers that do not fit into 32 bits, in this order.
  void read_zip64(std::string_view extra, ZipEntry& out) const {
    while (extra.size() >= 4) {
      const auto kind = number<uint16_t>(extra, 0), size = number<uint16_t>(extra, 2);
      if (extra.size() - 4 < size) damaged();
      std::string_view field = extra.substr(4, size);
      extra.remove_prefix(4 + size_t{size});
      if (kind != kZip64Field) continue;
      for (uint64_t* value : {&out.size, &out.packed, &out.offset}) {
        if (*value != kIn64Bits) continue;
        if (field.size() < sizeof(uint64_t)) damaged();
        *value = number<uint64_t>(field, 0);
        field.remove_prefix(sizeof(uint64_t));
      }
    }
  }

  std::string_view data_of(const ZipEntry& entry) const {
    const std::string_view local = record(entry.offset, kLocalSize, kLocalMark);
    const uint64_t before = kLocalSize + number<uint16_t>(local, 26) + number<uint16_t>(local, 28);
    return part(entry.offset + before, entry.size);
  }

  std::string_view where_, file_;
};

}  // namespace

std::map<std::string, std::string_view> zip_entries(std::string_view where, std::string_view file) {
  return ZipReader(where, file).read();
}

}  // namespace weft::formats
