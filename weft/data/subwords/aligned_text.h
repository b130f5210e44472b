// Text on its way to the model of a tokeniser, which remembers where in the original text each of
// its bytes comes from.
#ifndef WEFT_DATA_SUBWORDS_ALIGNED_TEXT_H_
#define WEFT_DATA_SUBWORDS_ALIGNED_TEXT_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/core/text/normal_forms.h"
#include "weft/data/text/byte_range.h"

namespace weft::data {

// Well-formed UTF-8. A character comes from a range of bytes of the original text.
class AlignedText {
 public:
  AlignedText() = default;
  // The original text itself. Bytes that are not UTF-8 become U+FFFD.
  explicit AlignedText(std::string_view original);
  // A part of a text.
  AlignedText(const AlignedText& whole, ByteRange part);

  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }

  // Where the bytes from `begin` to `end` of the text come from; begin < end.
  ByteRange origin(size_t begin, size_t end) const;

  void append(const AlignedText& other);
  // A character, or characters, with this origin.
  void append(std::string_view characters, ByteRange origin);
  void append(char32_t c, ByteRange origin);

  // The text that `characters` make of this text, all of it.
  AlignedText changed(std::span<const ChangedCharacter> characters) const;
  // This text with `prefix` before its first character, from where that comes. Not for empty text.
  AlignedText with_prefix(std::string_view prefix) const;

 private:
  void list_origins();
  ByteRange character_at(size_t i) const;

  std::string text_;
  uint32_t base_ = 0;               // of the original, where `origins_` is empty
  std::vector<ByteRange> origins_;  // of each byte; empty: the text is the original
  bool is_original_ = true;
};

// Throws FormatError where nodes have made a text of `from` bytes so long that the next ones might
// make it endless.
void check_growth(size_t from, size_t to);

// The characters of well-formed UTF-8.
std::u32string characters_of(std::string_view text);

}  // namespace weft::data

#endif  // WEFT_DATA_SUBWORDS_ALIGNED_TEXT_H_
