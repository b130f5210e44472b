#include "weft/data/images/draw.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "weft/core/error.h"
#include "weft/core/text/utf8.h"
#include "weft/data/images/font.h"

namespace weft::data {
namespace {

void check_colours(const Image& image, const char* where) {
  check_image(image, where);
  if (image.channels != 3) fail<ShapeError>(where, "expected 3 channels, got {}", image.channels);
}

// Fills a square of `size` pixels.
void fill(Image& image, int64_t left, int64_t top, int64_t size, const Colour& colour) {
  for (int64_t y = std::max<int64_t>(0, top); y < std::min(top + size, image.height); ++y) {
    for (int64_t x = std::max<int64_t>(0, left); x < std::min(left + size, image.width); ++x) {
      std::ranges::copy(colour, image.pixels.begin() + (y * image.width + x) * 3);
    }
  }
}

// Black on bright colours, else white.
Colour letters_on(const Colour& ground) {
  const double brightness = 0.299 * ground[0] + 0.587 * ground[1] + 0.114 * ground[2];
  const uint8_t level = brightness > 140 ? 0 : 255;
  return {level, level, level};
}

std::vector<Glyph> glyphs_of(std::string_view text) {
  std::vector<Glyph> out;
  while (!text.empty()) {
    char32_t c = 0;
    const size_t bytes = decode_code_point(text, c);
    out.push_back(glyph_of(bytes > 0 ? c : 0));
    text.remove_prefix(std::max<size_t>(1, bytes));
  }
  return out;
}

}  // namespace

Colour colour_of(int64_t number) {
  static constexpr Colour kColours[] = {
      {230, 25, 75},  {60, 180, 75},  {255, 225, 25}, {0, 130, 200},  {245, 130, 48},
      {145, 30, 180}, {70, 240, 240}, {240, 50, 230}, {210, 245, 60}, {250, 190, 212}};
  return kColours[number % std::ssize(kColours)];
}

void draw_box(Image& image, const Box& box, const Colour& colour, int64_t line) {
  check_colours(image, "draw_box");
  const auto pixel = [](double edge, int64_t size) {
    return static_cast<int64_t>(std::lround(std::clamp(edge, 0.0, static_cast<double>(size))));
  };
  const int64_t left = pixel(box.x, image.width), right = pixel(box.right(), image.width);
  const int64_t top = pixel(box.y, image.height), bottom = pixel(box.bottom(), image.height);
  for (int64_t y = top; y < bottom; ++y) {
    for (int64_t x = left; x < right; ++x) {
      const int64_t inside = std::min({y - top, bottom - 1 - y, x - left, right - 1 - x});
      if (inside >= line) continue;
      std::ranges::copy(colour, image.pixels.begin() + (y * image.width + x) * 3);
    }
  }
}

void draw_label(Image& image, const Box& box, std::string_view text, const Colour& colour,
                int64_t size) {
  check_colours(image, "draw_label");
  const std::vector<Glyph> glyphs = glyphs_of(text);
  const int64_t width = std::ssize(glyphs) * (kGlyphWidth + 1) + 1, height = kGlyphHeight + 1;
  const int64_t corner = std::lround(box.y);
  const int64_t top = corner >= height * size ? corner - height * size : corner;
  const int64_t left =
      std::clamp<int64_t>(std::lround(box.x), 0, std::max<int64_t>(0, image.width - width * size));
  const Colour letters = letters_on(colour);
  const auto is_letter = [&](int64_t x, int64_t y) {
    const int64_t column = (x - 1) % (kGlyphWidth + 1);
    if (x == 0 || y == 0 || column == kGlyphWidth) return false;
    return (glyphs[(x - 1) / (kGlyphWidth + 1)][column] >> (y - 1) & 1) == 1;
  };
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      fill(image, left + x * size, top + y * size, size, is_letter(x, y) ? letters : colour);
    }
  }
}

}  // namespace weft::data
