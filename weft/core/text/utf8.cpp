#include "weft/core/text/utf8.h"

#include <cstdint>
#include <cstring>

namespace weft {
namespace {

bool is_continuation(unsigned char c) { return (c & 0xC0) == 0x80; }

// The range of the second byte excludes overlong forms, surrogates and values above U+10FFFF.
bool second_byte_fits(unsigned char first, unsigned char second) {
  switch (first) {
    case 0xE0: return second >= 0xA0 && second <= 0xBF;
    case 0xED: return second >= 0x80 && second <= 0x9F;
    case 0xF0: return second >= 0x90 && second <= 0xBF;
    case 0xF4: return second >= 0x80 && second <= 0x8F;
    default: return is_continuation(second);
  }
}

// The number of leading ASCII bytes, checked eight at a time.
size_t ascii_prefix(std::string_view text) {
  size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, text.data() + i, 8);
    if (word & 0x8080808080808080u) break;
  }
  while (i < text.size() && static_cast<unsigned char>(text[i]) < 0x80) ++i;
  return i;
}

// The index of the first malformed byte, or text.size().
size_t first_malformed(std::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    i += ascii_prefix(text.substr(i));
    if (i == text.size()) break;
    const size_t length = utf8_length(text.substr(i));
    if (length == 0) break;
    i += length;
  }
  return i;
}

}  // namespace

size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xC2 && first <= 0xDF   ? 2
                        : first >= 0xE0 && first <= 0xEF ? 3
                        : first >= 0xF0 && first <= 0xF4 ? 4
                                                         : 0;
  if (length == 0 || text.size() < length || !second_byte_fits(first, byte(1))) return 0;
  for (size_t i = 2; i < length; ++i) {
    if (!is_continuation(byte(i))) return 0;
  }
  return length;
}

size_t decode_code_point(std::string_view text, char32_t& c) {
  const size_t length = utf8_length(text);
  if (length == 0) return 0;
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  c = length == 1 ? byte(0) : byte(0) & (0xFFu >> (length + 1));
  for (size_t i = 1; i < length; ++i) c = c << 6 | (byte(i) & 0x3Fu);
  return length;
}

void append_utf8(char32_t c, std::string& out) {
  const auto last = [&](int bits) { out += static_cast<char>(0x80 | (c >> bits & 0x3F)); };
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | c >> 6);
    last(0);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | c >> 12);
    last(6), last(0);
  } else {
    out += static_cast<char>(0xF0 | c >> 18);
    last(12), last(6), last(0);
  }
}

bool valid_utf8(std::string_view text) { return first_malformed(text) == text.size(); }

std::string repair_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t good = first_malformed(text);
    out += text.substr(0, good);
    text.remove_prefix(good);
    if (text.empty()) break;
    out += "\xEF\xBF\xBD";
    text.remove_prefix(1);
  }
  return out;
}

}  // namespace weft
