#include "weft/formats/tfrecord.h"

#include <array>

namespace weft::formats {
namespace {

constexpr size_t kHead = 12, kTail = 4;  // length and its checksum; checksum of the data

constexpr std::array<uint32_t, 256> crc_table() {
  constexpr uint32_t kPolynomial = 0x82F63B78;  // reversed
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < table.size(); ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ ((value & 1) != 0 ? kPolynomial : 0);
    table[i] = value;
  }
  return table;
}

// Rotated and shifted, so that the checksum of data with checksums inside is not degenerate.
uint32_t masked(uint32_t crc) { return (crc >> 15 | crc << 17) + 0xA282EAD8; }

template <class Integer>
std::string little_endian(Integer value) {
  std::string out;
  for (size_t i = 0; i < sizeof(Integer); ++i) out += static_cast<char>(value >> (8 * i));
  return out;
}

template <class Integer>
Integer integer_in(std::string_view bytes) {
  Integer out = 0;
  for (size_t i = 0; i < sizeof(Integer); ++i) {
    out |= static_cast<Integer>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return out;
}

}  // namespace

uint32_t crc32c(std::string_view bytes) {
  static constexpr std::array<uint32_t, 256> kTable = crc_table();
  uint32_t crc = ~uint32_t{0};
  for (const char byte : bytes) {
    crc = crc >> 8 ^ kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xFF];
  }
  return ~crc;
}

std::string tfrecord(std::string_view data) {
  const std::string length = little_endian(uint64_t{data.size()});
  std::string out = length + little_endian(masked(crc32c(length)));
  out += data;
  return out + little_endian(masked(crc32c(data)));
}

bool TfrecordReader::next() {
  const std::string_view rest = file_.substr(end_);
  if (rest.size() < kHead + kTail) return false;
  const std::string_view length = rest.substr(0, sizeof(uint64_t));
  if (integer_in<uint32_t>(rest.substr(length.size())) != masked(crc32c(length))) return false;
  const auto size = integer_in<uint64_t>(length);
  if (size > rest.size() - kHead - kTail) return false;
  const std::string_view data = rest.substr(kHead, size);
  if (integer_in<uint32_t>(rest.substr(kHead + size)) != masked(crc32c(data))) return false;
  data_ = data;
  end_ += kHead + size + kTail;
  return true;
}

}  // namespace weft::formats
