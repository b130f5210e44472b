#include "weft/data/subwords/nodes/precompiled.h"

#include <optional>
#include <string>

#include "weft/core/text/utf8.h"
#include "weft/data/text/charsmap.h"

namespace weft::data {
namespace {

// Longer graphemes are replaced character by character.
constexpr size_t kMaxGrapheme = 5;  // bytes

int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

std::string from_base64(std::string_view text, const JsonNode& node) {
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const int digit = base64_digit(c);
    if (digit < 0) node.refuse("precompiled_charsmap is not base64");
    bits = bits << 6 | static_cast<uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 0xFF);
  }
  return out;
}

class Precompiled : public Normaliser {
 public:
  explicit Precompiled(Charsmap map) : map_(std::move(map)) {}

  AlignedText apply(AlignedText text) const override {
    AlignedText out;
    const std::string_view from = text.text();
    for (size_t i = 0; i < from.size();) {
      const size_t end = end_of_grapheme(from, i);
      put(text, i, end, out);
      i = end;
    }
    return out;
  }

 private:
  static size_t end_of_grapheme(std::string_view text, size_t begin) {
    char32_t before = 0, c = 0;
    int32_t state = 0;
    size_t i = begin + decode_code_point(text.substr(begin), before);
    while (i < text.size()) {
      const size_t length = decode_code_point(text.substr(i), c);
      if (!continues_grapheme(before, c, state)) break;
      before = c;
      i += length;
    }
    return i;
  }

  void put(const AlignedText& text, size_t begin, size_t end, AlignedText& out) const {
    const std::string_view grapheme = std::string_view(text.text()).substr(begin, end - begin);
    if (grapheme.size() <= kMaxGrapheme) {
      if (const auto found = map_.first_replacement(grapheme)) {
        out.append(*found, text.origin(begin, end));
        return;
      }
    }
    for (size_t i = 0, length; i < grapheme.size(); i += length) {
      length = utf8_length(grapheme.substr(i));
      const std::string_view character = grapheme.substr(i, length);
      out.append(map_.first_replacement(character).value_or(character),
                 text.origin(begin + i, begin + i + length));
    }
  }

  Charsmap map_;
};

}  // namespace

std::unique_ptr<const Normaliser> read_precompiled(JsonNode& node) {
  return std::make_unique<Precompiled>(
      Charsmap(from_base64(node.text("precompiled_charsmap"), node), node.where()));
}

}  // namespace weft::data
