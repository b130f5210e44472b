#include "weft/data/subwords/byte_characters.h"

#include <array>

#include "weft/core/text/utf8.h"

namespace weft::data {
namespace {

constexpr int kByteValues = 256;
constexpr char32_t kFirstOther = 0x100;  // of the characters of bytes that are not printable

bool is_printable(int byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

struct ByteCharacters {
  std::array<std::string, kByteValues> text;
  std::array<int16_t, 2 * kByteValues> byte;  // by character; -1: none

  ByteCharacters() {
    byte.fill(-1);
    char32_t other = kFirstOther;
    for (int i = 0; i < kByteValues; ++i) {
      const char32_t c = is_printable(i) ? static_cast<char32_t>(i) : other++;
      append_utf8(c, text[static_cast<size_t>(i)]);
      byte[c] = static_cast<int16_t>(i);
    }
  }
};

const ByteCharacters& byte_characters() {
  static const ByteCharacters table;
  return table;
}

}  // namespace

std::string_view byte_character(uint8_t byte) { return byte_characters().text[byte]; }

std::optional<uint8_t> byte_of_character(char32_t c) {
  const auto& bytes = byte_characters().byte;
  if (c >= bytes.size() || bytes[c] < 0) return {};
  return static_cast<uint8_t>(bytes[c]);
}

std::optional<std::string> bytes_of_characters(std::string_view token) {
  std::string out;
  while (!token.empty()) {
    char32_t c = 0;
    const size_t length = decode_code_point(token, c);
    const std::optional<uint8_t> byte = length > 0 ? byte_of_character(c) : std::nullopt;
    if (!byte) return {};
    out += static_cast<char>(*byte);
    token.remove_prefix(length);
  }
  return out;
}

}  // namespace weft::data
