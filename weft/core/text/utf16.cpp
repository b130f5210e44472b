#include "weft/core/text/utf16.h"

#include <utility>

#include "weft/core/text/utf8.h"

namespace weft {
namespace {

constexpr char32_t kSurrogates = 0xD800, kLowSurrogates = 0xDC00, kEndOfSurrogates = 0xE000;
constexpr char32_t kPairs = 0x10000;  // the first code point that is two units

}  // namespace

std::optional<Utf16> utf16_of(std::string_view text) {
  if (text.starts_with("\xFF\xFE")) return Utf16::kLittleEndian;
  if (text.starts_with("\xFE\xFF")) return Utf16::kBigEndian;
  return std::nullopt;
}

void Utf16Decoder::decode(std::string_view bytes, std::string& out) {
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    if (!first_byte_) {
      first_byte_ = byte;
      continue;
    }
    const uint8_t first = *std::exchange(first_byte_, std::nullopt);
    const bool is_big = order_ == Utf16::kBigEndian;
    take(static_cast<char16_t>(is_big ? first << 8 | byte : byte << 8 | first), out);
  }
}

void Utf16Decoder::take(char16_t unit, std::string& out) {
  const bool is_low = unit >= kLowSurrogates && unit < kEndOfSurrogates;
  if (const char32_t high = std::exchange(high_, 0); high != 0) {
    if (is_low) {
      return append_utf8(kPairs + ((high - kSurrogates) << 10) + (unit - kLowSurrogates), out);
    }
    append_utf8(high, out);
  }
  if (unit >= kSurrogates && unit < kLowSurrogates) {
    high_ = unit;
  } else {
    append_utf8(unit, out);
  }
}

void Utf16Decoder::finish(std::string& out) {
  if (high_ != 0) append_utf8(std::exchange(high_, 0), out);
  if (std::exchange(first_byte_, std::nullopt)) out += '\xFF';
}

}  // namespace weft
