#include "weft/data/jinja/string_literal.h"

#include <charconv>

#include "weft/core/text/utf8.h"

namespace weft::data::jinja {
namespace {

// The character that an escape of one letter stands for; 0: it is none.
char simple_escape(char letter) {
  constexpr std::string_view kLetters = "abfnrtv\\'\"", kCharacters = "\a\b\f\n\r\t\v\\'\"";
  const size_t found = kLetters.find(letter);
  return found == kLetters.npos ? '\0' : kCharacters[found];
}

// Takes a code point of exactly `count` digits from the beginning of `text`.
bool take_number(std::string_view& text, size_t count, int base, std::string& out) {
  uint32_t c = 0;
  const std::string_view digits = text.substr(0, count);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), c, base);
  const bool is_surrogate = c >= 0xD800 && c < 0xE000;
  if (digits.size() < count || end != digits.data() + count || error != std::errc() ||
      c > 0x10FFFF || is_surrogate) {
    return false;
  }
  append_utf8(c, out);
  text.remove_prefix(count);
  return true;
}

}  // namespace

std::optional<std::string> decoded_literal(std::string_view literal) {
  std::string out;
  while (!literal.empty()) {
    const char c = literal.front();
    literal.remove_prefix(1);
    if (c != '\\' || literal.empty()) {
      out += c;
      continue;
    }
    const char letter = literal.front();
    if (letter >= '0' && letter <= '7') {
      size_t digits = 1;
      while (digits < 3 && digits < literal.size() && literal[digits] >= '0' &&
             literal[digits] <= '7') {
        ++digits;
      }
      if (!take_number(literal, digits, 8, out)) return std::nullopt;
      continue;
    }
    literal.remove_prefix(1);
    if (letter == '\n') continue;
    if (letter == 'N') return std::nullopt;
    if (letter == 'x' || letter == 'u' || letter == 'U') {
      const size_t digits = letter == 'x' ? 2 : letter == 'u' ? 4 : 8;
      if (!take_number(literal, digits, 16, out)) return std::nullopt;
    } else if (const char escaped = simple_escape(letter); escaped != 0) {
      out += escaped;
    } else {
      out += '\\';
      out += letter;
    }
  }
  return out;
}

}  // namespace weft::data::jinja
