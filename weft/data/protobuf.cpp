#include "weft/data/protobuf.h"

#include <bit>

#include "weft/core/error.h"

namespace weft::data {
namespace {

constexpr uint32_t kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5;
constexpr uint64_t kMaxField = (uint64_t{1} << 29) - 1;

void append(std::string& text, double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  for (int i = 0; i < 8; ++i) text += static_cast<char>(bits >> (8 * i));
}

}  // namespace

bool ProtobufReader::next() {
  if (rest_.empty()) return false;
  const uint64_t tag = read_varint();
  if (tag >> 3 == 0 || tag >> 3 > kMaxField) fail<FormatError>(where_, "a field has no number");
  field_ = static_cast<uint32_t>(tag >> 3);
  wire_ = static_cast<Wire>(tag & 7);
  switch (wire_) {
    case Wire::kVarint: integer_ = read_varint(); return true;
    case Wire::kFixed64: bytes_ = read_bytes(8); return true;
    case Wire::kBytes: bytes_ = read_bytes(read_varint()); return true;
    case Wire::kFixed32: bytes_ = read_bytes(4); return true;
  }
  fail<FormatError>(where_, "field {} has the unknown wire type {}", field_, tag & 7);
}

uint64_t ProtobufReader::integer() const {
  require(Wire::kVarint);
  return integer_;
}

float ProtobufReader::number() const {
  require(Wire::kFixed32);
  uint32_t bits = 0;
  for (int i = 3; i >= 0; --i) bits = bits << 8 | static_cast<unsigned char>(bytes_[i]);
  return std::bit_cast<float>(bits);
}

std::string_view ProtobufReader::bytes() const {
  require(Wire::kBytes);
  return bytes_;
}

uint64_t ProtobufReader::read_varint() {
  uint64_t value = 0;
  for (size_t i = 0; i < 10 && i < rest_.size(); ++i) {
    const auto byte = static_cast<unsigned char>(rest_[i]);
    value |= uint64_t{byte & 0x7Fu} << (7 * i);
    if (byte < 0x80) {
      rest_.remove_prefix(i + 1);
      return value;
    }
  }
  fail<FormatError>(where_, "an integer is cut off or too long");
}

std::string_view ProtobufReader::read_bytes(uint64_t size) {
  if (size > rest_.size()) {
    fail<FormatError>(where_, "field {} is cut off; expected {} bytes, got {}", field_, size,
                      rest_.size());
  }
  const std::string_view out = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return out;
}

void ProtobufReader::require(Wire wire) const {
  if (wire_ != wire) {
    fail<FormatError>(where_, "field {} has the wire type {}; expected {}", field_,
                      static_cast<int>(wire_), static_cast<int>(wire));
  }
}

void ProtobufWriter::integer(uint32_t field, uint64_t value) {
  varint(uint64_t{field} << 3 | kVarint);
  varint(value);
}

void ProtobufWriter::number(uint32_t field, float value) {
  varint(uint64_t{field} << 3 | kFixed32);
  const auto bits = std::bit_cast<uint32_t>(value);
  for (int i = 0; i < 4; ++i) text_ += static_cast<char>(bits >> (8 * i));
}

void ProtobufWriter::real(uint32_t field, double value) {
  varint(uint64_t{field} << 3 | kFixed64);
  append(text_, value);
}

void ProtobufWriter::reals(uint32_t field, std::span<const double> values) {
  std::string packed;
  for (const double value : values) append(packed, value);
  bytes(field, packed);
}

void ProtobufWriter::bytes(uint32_t field, std::string_view value) {
  varint(uint64_t{field} << 3 | kBytes);
  varint(value.size());
  text_ += value;
}

void ProtobufWriter::varint(uint64_t value) {
  for (; value >= 0x80; value >>= 7) text_ += static_cast<char>(value | 0x80);
  text_ += static_cast<char>(value);
}

}  // namespace weft::data
