// UTF-16, as some programs write text on Windows, as UTF-8.
#ifndef WEFT_CORE_TEXT_UTF16_H_
#define WEFT_CORE_TEXT_UTF16_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

enum class Utf16 { kLittleEndian, kBigEndian };

// What the byte order mark says that a text begins with (FF FE or FE FF).
std::optional<Utf16> utf16_of(std::string_view text);

// Decodes a text piece by piece; its byte order mark becomes that of UTF-8. A surrogate without its
// other half, and a byte too many at the end, become bytes that are not UTF-8.
class Utf16Decoder {
 public:
  explicit Utf16Decoder(Utf16 order) : order_(order) {}

  // Appends the text of these bytes.
  void decode(std::string_view bytes, std::string& out);
  // Appends what is left at the end of the text.
  void finish(std::string& out);

 private:
  void take(char16_t unit, std::string& out);

  Utf16 order_;
  std::optional<uint8_t> first_byte_;  // of a unit that is cut off
  char16_t high_ = 0;                  // half of a pair; 0: none
};

}  // namespace weft

#endif  // WEFT_CORE_TEXT_UTF16_H_
