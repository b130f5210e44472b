#include "weft/data/subwords/aligned_text.h"

#include <algorithm>

#include "weft/core/error.h"
#include "weft/core/text/utf8.h"

namespace weft::data {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

uint32_t size32(size_t size) { return static_cast<uint32_t>(size); }

}  // namespace

AlignedText::AlignedText(std::string_view original) {
  if (valid_utf8(original)) {
    text_ = original;
    return;
  }
  for (size_t i = 0; i < original.size();) {
    const size_t length = utf8_length(original.substr(i));
    const size_t taken = std::max<size_t>(length, 1);
    append(length > 0 ? original.substr(i, length) : kReplacement, {size32(i), size32(i + taken)});
    i += taken;
  }
}

AlignedText::AlignedText(const AlignedText& whole, ByteRange part)
    : text_(whole.text_.substr(part.begin, part.end - part.begin)),
      base_(whole.base_ + part.begin),
      is_original_(whole.is_original_) {
  if (!is_original_) {
    origins_.assign(whole.origins_.begin() + part.begin, whole.origins_.begin() + part.end);
  }
}

ByteRange AlignedText::character_at(size_t i) const {
  size_t begin = i, end = i + 1;
  while (begin > 0 && is_continuation(text_[begin])) --begin;
  while (end < text_.size() && is_continuation(text_[end])) ++end;
  return {base_ + size32(begin), base_ + size32(end)};
}

ByteRange AlignedText::origin(size_t begin, size_t end) const {
  if (!is_original_) return {origins_[begin].begin, origins_[end - 1].end};
  return {character_at(begin).begin, character_at(end - 1).end};
}

void AlignedText::list_origins() {
  if (!is_original_) return;
  origins_.reserve(text_.size());
  for (size_t i = 0; i < text_.size(); ++i) origins_.push_back(character_at(i));
  is_original_ = false;
}

void AlignedText::append(const AlignedText& other) {
  if (text_.empty()) {
    *this = other;
    return;
  }
  if (is_original_ && other.is_original_ && base_ + text_.size() == other.base_) {
    text_ += other.text_;
    return;
  }
  list_origins();
  for (size_t i = 0; i < other.text_.size(); ++i) origins_.push_back(other.origin(i, i + 1));
  text_ += other.text_;
}

void AlignedText::append(std::string_view characters, ByteRange origin) {
  list_origins();
  text_ += characters;
  origins_.insert(origins_.end(), characters.size(), origin);
}

void AlignedText::append(char32_t c, ByteRange origin) {
  list_origins();
  const size_t before = text_.size();
  append_utf8(c, text_);
  origins_.insert(origins_.end(), text_.size() - before, origin);
}

AlignedText AlignedText::changed(std::span<const ChangedCharacter> characters) const {
  AlignedText out;
  out.list_origins();
  size_t next = 0;  // the byte of this text that is to be replaced
  for (const auto& [c, change] : characters) {
    if (change > 0) {
      out.append(c, next == 0 ? ByteRange{} : origin(next - 1, next));
      continue;
    }
    out.append(c, origin(next, next + 1));
    for (int32_t i = change; i <= 0; ++i) {
      next += utf8_length(std::string_view(text_).substr(next));
    }
  }
  return out;
}

AlignedText AlignedText::with_prefix(std::string_view prefix) const {
  AlignedText out;
  out.append(prefix, origin(0, 1));
  out.append(*this);
  return out;
}

void check_growth(size_t from, size_t to) {
  constexpr size_t kMaxGrowth = 64, kAlways = 1 << 16;
  if (to > kMaxGrowth * from + kAlways) {
    fail<FormatError>("tokeniser", "its nodes make {} bytes of a text of {}", to, from);
  }
}

std::u32string characters_of(std::string_view text) {
  std::u32string out;
  out.reserve(text.size());
  char32_t c = 0;
  for (size_t i = 0; i < text.size(); i += decode_code_point(text.substr(i), c), out += c) {
  }
  return out;
}

}  // namespace weft::data
