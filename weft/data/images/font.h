// Letters for pictures: 5 by 7 pixels, some with a tail below the line.
#ifndef WEFT_DATA_IMAGES_FONT_H_
#define WEFT_DATA_IMAGES_FONT_H_

#include <array>
#include <cstdint>

namespace weft::data {

// Columns from left to right; bit i is the pixel in row i from the top.
using Glyph = std::array<uint8_t, 5>;
inline constexpr int64_t kGlyphWidth = 5, kGlyphHeight = 8;

// Of a printable ASCII character; of any other an empty frame.
const Glyph& glyph_of(char32_t c);

}  // namespace weft::data

#endif  // WEFT_DATA_IMAGES_FONT_H_
