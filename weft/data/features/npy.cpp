#include "weft/data/features/npy.h"

#include <cmath>
#include <cstring>
#include <regex>

#include "weft/core/error.h"

namespace weft::data {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMaxHeader = 4096;  // std::regex recurses for each character

struct NpyHeader {
  std::string type;  // "<f4"
  int64_t rows = 0, width = 1;
  size_t data = 0;  // where the numbers begin
};

// A number of the header's dictionary, {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
int64_t dimension(const std::string& text, const std::string& name) {
  if (text.size() > 12) fail<FormatError>(name, "a dimension of {}; expected a smaller one", text);
  return std::stoll(text);
}

NpyHeader header_of(std::string_view bytes, const std::string& name) {
  const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<uint8_t>(bytes[i])); };
  if (bytes.size() < 12) fail<FormatError>(name, "is cut off; expected the header of an .npy file");
  const size_t version = byte(6), start = version == 1 ? 10 : 12;
  size_t size = byte(8) | byte(9) << 8;
  if (version != 1) size |= byte(10) << 16 | byte(11) << 24;
  if (version < 1 || version > 3 || size > kMaxHeader || start + size > bytes.size()) {
    fail<FormatError>(
        name, "expected an .npy file of version 1 to 3 with a whole header of at most {} bytes",
        kMaxHeader);
  }
  const std::string text(bytes.substr(start, size));
  std::smatch found;
  static const std::regex kType("'descr': *'([^']*)'"), kOrder("'fortran_order': *False"),
      kShape(R"('shape': *\((\d+), *(\d*),? *\))");
  NpyHeader out;
  if (!std::regex_search(text, found, kType)) {
    fail<FormatError>(name, "expected one type of numbers in the header");
  }
  out.type = found[1];
  if (!std::regex_search(text, kOrder)) {
    fail<FormatError>(name, "expected an array in C order (fortran_order False)");
  }
  if (!std::regex_search(text, found, kShape)) {
    fail<FormatError>(name, "expected an array of one or two dimensions");
  }
  out.rows = dimension(found[1], name);
  if (found[2].length() > 0) out.width = dimension(found[2], name);
  out.data = start + size;
  return out;
}

template <class T>
void append(std::string_view bytes, std::vector<float>& values) {
  for (size_t i = 0; i < bytes.size(); i += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + i, sizeof(T));
    values.push_back(static_cast<float>(value));
  }
}

struct NpyType {
  std::string_view name;
  size_t size;
  void (*append)(std::string_view bytes, std::vector<float>& values);
};
constexpr NpyType kNpyTypes[] = {
    {"<f4", 4, append<float>},    {"<f8", 8, append<double>},   {"|u1", 1, append<uint8_t>},
    {"|i1", 1, append<int8_t>},   {"<i2", 2, append<int16_t>},  {"<u2", 2, append<uint16_t>},
    {"<i4", 4, append<int32_t>},  {"<u4", 4, append<uint32_t>}, {"<i8", 8, append<int64_t>},
    {"<u8", 8, append<uint64_t>},
};

}  // namespace

bool is_npy(std::string_view bytes) { return bytes.starts_with(kMagic); }

FeatureSequence parse_npy(std::string_view bytes, const std::string& name) {
  const NpyHeader header = header_of(bytes, name);
  if (header.width < 1 || header.width > kMaxFeatureWidth) {
    fail<FormatError>(name, "vectors of {} numbers; expected 1 to {}", header.width,
                      kMaxFeatureWidth);
  }
  for (const NpyType& type : kNpyTypes) {
    if (type.name != header.type) continue;
    const std::string_view data = bytes.substr(header.data);
    const auto size = static_cast<int64_t>(type.size);
    if (header.rows > std::ssize(data) / size / header.width ||
        header.rows * header.width * size != std::ssize(data)) {
      fail<FormatError>(name, "{} bytes of numbers; expected {} x {} of {} bytes", data.size(),
                        header.rows, header.width, size);
    }
    FeatureSequence out{.width = header.width, .values = {}};
    out.values.reserve(static_cast<size_t>(header.rows * header.width));
    type.append(data, out.values);
    for (const float value : out.values) {
      if (std::isinf(value))
        fail<FormatError>(name, "has an infinite number; expected finite ones");
    }
    return out;
  }
  fail<FormatError>(name,
                    "numbers of the type {}; expected little-endian float32, float64 or integers",
                    quote(header.type));
}

}  // namespace weft::data
