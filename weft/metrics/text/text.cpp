#include "weft/metrics/text/text.h"

#include "weft/core/text/utf8.h"

namespace weft::metrics {

std::u32string decode_utf8(std::string_view text) {
  std::u32string out;
  out.reserve(text.size());
  while (!text.empty()) {
    char32_t c = 0;
    size_t length = decode_code_point(text, c);
    if (length == 0) {
      c = 0xDC00 + static_cast<unsigned char>(text[0]);
      length = 1;
    }
    out.push_back(c);
    text.remove_prefix(length);
  }
  return out;
}

std::string encode_utf8(std::u32string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char32_t c : text) {
    if (c >= 0xDC80 && c <= 0xDCFF) {
      out += static_cast<char>(c - 0xDC00);
    } else {
      append_utf8(c, out);
    }
  }
  return out;
}

bool is_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 ||
         c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000;
}

std::u32string_view trim(std::u32string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::u32string> split(std::u32string_view text) {
  std::vector<std::u32string> out;
  bool inside = false;
  for (const char32_t c : text) {
    if (is_space(c)) {
      inside = false;
      continue;
    }
    if (!inside) out.emplace_back();
    inside = true;
    out.back().push_back(c);
  }
  return out;
}

}  // namespace weft::metrics
