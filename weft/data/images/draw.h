// Simple drawing on pictures.
#ifndef WEFT_DATA_IMAGES_DRAW_H_
#define WEFT_DATA_IMAGES_DRAW_H_

#include <array>
#include <string_view>

#include "weft/data/boxes/box.h"
#include "weft/data/images/image.h"

namespace weft::data {

using Colour = std::array<uint8_t, 3>;  // red, green, blue

// One of ten colours that are easy to distinguish; equal numbers have equal ones.
Colour colour_of(int64_t number);

// Draws the outline of a box, `line` pixels thick towards its inside, on a picture of 3 channels;
// what is outside the picture is left out. Throws ShapeError for another number of channels.
void draw_box(Image& image, const Box& box, const Colour& colour, int64_t line = 1);

// Writes a text on a ground of this colour, above the upper left corner of a box, or inside it
// where there is no room above; a pixel of a letter (font.h) is `size` pixels of the picture. What
// is outside the picture is left out. Throws ShapeError for another number of channels than 3.
void draw_label(Image& image, const Box& box, std::string_view text, const Colour& colour,
                int64_t size = 1);

}  // namespace weft::data

#endif  // WEFT_DATA_IMAGES_DRAW_H_
