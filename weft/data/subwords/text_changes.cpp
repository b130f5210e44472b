#include "weft/data/subwords/text_changes.h"

#include <algorithm>

#include "weft/core/text/character_classes.h"
#include "weft/core/text/utf8.h"
#include "weft/data/subwords/byte_characters.h"

namespace weft::data {
namespace {

ByteRange range_of(size_t begin, size_t end) {
  return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
}

bool is_ascii(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return (c & 0x80) != 0; });
}

}  // namespace

AlignedText replaced(AlignedText text, const Pattern& pattern, std::string_view content) {
  std::vector<PatternPart> parts;
  pattern.split(text.text(), parts);
  if (std::ranges::none_of(parts, &PatternPart::is_match)) return text;
  AlignedText out;
  for (const PatternPart& part : parts) {
    if (part.is_match) {
      out.append(content, text.origin(part.end - 1, part.end));
    } else {
      out.append(AlignedText(text, {part.begin, part.end}));
    }
  }
  return out;
}

AlignedText characters_of_bytes(const AlignedText& text) {
  AlignedText out;
  for (size_t i = 0; i < text.text().size(); ++i) {
    out.append(byte_character(static_cast<uint8_t>(text.text()[i])), text.origin(i, i + 1));
  }
  return out;
}

AlignedText in_normal_form(AlignedText text, NormalForm form) {
  if (is_ascii(text.text())) return text;
  return text.changed(normal_form(characters_of(text.text()), form));
}

AlignedText in_lower_case(AlignedText text) {
  if (is_ascii(text.text()) &&
      std::ranges::none_of(text.text(), [](char c) { return c >= 'A' && c <= 'Z'; })) {
    return text;
  }
  return text.changed(lower_case(characters_of(text.text())));
}

AlignedText without(AlignedText text, uint16_t classes) {
  const CharacterClasses& table = CharacterClasses::instance();
  const std::string_view from = text.text();
  AlignedText out;
  size_t kept = 0;  // the beginning of a run that is kept
  char32_t c = 0;
  for (size_t i = 0, length; i < from.size(); i += length) {
    length = decode_code_point(from.substr(i), c);
    if ((table[c] & classes) == 0) continue;
    if (kept < i) out.append(AlignedText(text, range_of(kept, i)));
    kept = i + length;
  }
  if (kept == 0) return text;
  if (kept < from.size()) out.append(AlignedText(text, range_of(kept, from.size())));
  return out;
}

AlignedText stripped(const AlignedText& text, bool left, bool right) {
  const CharacterClasses& table = CharacterClasses::instance();
  const std::string_view from = text.text();
  size_t begin = from.size(), end = 0;  // of what is not space
  char32_t c = 0;
  for (size_t i = 0, length; i < from.size(); i += length) {
    length = decode_code_point(from.substr(i), c);
    if (table[c] & kSpaceClass) continue;
    begin = std::min(begin, i);
    end = i + length;
  }
  if (!left) begin = 0;
  if (!right) end = from.size();
  if (begin >= end) return {};
  return end - begin == from.size() ? text : AlignedText(text, range_of(begin, end));
}

}  // namespace weft::data
