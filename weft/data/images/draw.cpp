#include "weft/data/images/draw.h"

#include <algorithm>
#include <cmath>

#include "weft/core/error.h"

namespace weft::data {

Colour colour_of(int64_t number) {
  static constexpr Colour kColours[] = {
      {230, 25, 75},  {60, 180, 75},  {255, 225, 25}, {0, 130, 200},  {245, 130, 48},
      {145, 30, 180}, {70, 240, 240}, {240, 50, 230}, {210, 245, 60}, {250, 190, 212}};
  return kColours[number % std::ssize(kColours)];
}

void draw_box(Image& image, const Box& box, const Colour& colour, int64_t line) {
  check_image(image, "draw_box");
  if (image.channels != 3) {
    fail<ShapeError>("draw_box", "expected 3 channels, got {}", image.channels);
  }
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

}  // namespace weft::data
