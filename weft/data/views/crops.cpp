#include "weft/data/views/crops.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace weft::data {
namespace {

constexpr int kPlaces = 32;

// A crop's center in the scene and how its pixels lie around it.
struct Frame {
  double x = 0, y = 0;
  double along = 1, across = 0;  // scale * cos, scale * sin of the rotation

  std::array<double, 2> point(double right, double down) const {
    return {x + along * right - across * down, y + across * right + along * down};
  }
};

bool is_inside(const Frame& frame, const Image& scene, const ImageShape& shape) {
  const double half_width = static_cast<double>(shape.width) / 2;
  const double half_height = static_cast<double>(shape.height) / 2;
  for (const double right : {-half_width, half_width}) {
    for (const double down : {-half_height, half_height}) {
      const auto [x, y] = frame.point(right, down);
      if (x < 0 || y < 0 || x > static_cast<double>(scene.width) ||
          y > static_cast<double>(scene.height)) {
        return false;
      }
    }
  }
  return true;
}

// Appends the pixel at (x, y), interpolated between the centers of four.
void append_pixel(const Image& scene, double x, double y, std::vector<float>& out) {
  const double column = std::clamp(x - 0.5, 0.0, static_cast<double>(scene.width - 1));
  const double row = std::clamp(y - 0.5, 0.0, static_cast<double>(scene.height - 1));
  const auto left = static_cast<int64_t>(column), top = static_cast<int64_t>(row);
  const int64_t right = std::min(left + 1, scene.width - 1);
  const int64_t bottom = std::min(top + 1, scene.height - 1);
  const double u = column - static_cast<double>(left), v = row - static_cast<double>(top);
  const auto value = [&](int64_t at_row, int64_t at_column, int64_t channel) -> double {
    return scene
        .pixels[static_cast<size_t>((at_row * scene.width + at_column) * scene.channels + channel)];
  };
  for (int64_t c = 0; c < scene.channels; ++c) {
    const double above = (1 - u) * value(top, left, c) + u * value(top, right, c);
    const double below = (1 - u) * value(bottom, left, c) + u * value(bottom, right, c);
    out.push_back(static_cast<float>((1 - v) * above + v * below));
  }
}

std::vector<float> crop(const Image& scene, const ImageShape& shape, const Frame& frame) {
  std::vector<float> out;
  out.reserve(static_cast<size_t>(shape.size()));
  for (int64_t row = 0; row < shape.height; ++row) {
    for (int64_t column = 0; column < shape.width; ++column) {
      const auto [x, y] =
          frame.point(static_cast<double>(column) + 0.5 - static_cast<double>(shape.width) / 2,
                      static_cast<double>(row) + 0.5 - static_cast<double>(shape.height) / 2);
      append_pixel(scene, x, y, out);
    }
  }
  return out;
}

// From -most to most.
double draw(double most, RandomStream& random) { return most * (2 * random.uniform() - 1); }

}  // namespace

Image scene_of(const Image& picture, const ImageShape& shape, const CropOptions& options) {
  const Image scene = with_channels(picture, shape.channels);
  const double by_height = static_cast<double>(scene.height) / static_cast<double>(shape.height);
  const double by_width = static_cast<double>(scene.width) / static_cast<double>(shape.width);
  const double ratio = options.share * std::min(by_height, by_width);
  const int64_t height =
      std::max<int64_t>(shape.height, std::llround(static_cast<double>(scene.height) / ratio));
  const int64_t width =
      std::max<int64_t>(shape.width, std::llround(static_cast<double>(scene.width) / ratio));
  return resize(scene, height, width);
}

CropPair draw_crops(const Image& scene, const ImageShape& shape, const CropOptions& options,
                    RandomStream& random) {
  CropPair out;
  CropMotion& motion = out.motion;
  motion.right = draw(options.shift, random);
  motion.down = draw(options.shift, random);
  motion.log_scale = draw(std::log(options.scale), random);
  motion.rotation = draw(options.rotation * std::numbers::pi / 180, random);
  const auto width = static_cast<double>(shape.width), height = static_cast<double>(shape.height);
  const double scale = std::exp(motion.log_scale);
  Frame first, second;
  for (int place = 0; place < kPlaces; ++place) {
    first.x = width / 2 + random.uniform() * (static_cast<double>(scene.width) - width);
    first.y = height / 2 + random.uniform() * (static_cast<double>(scene.height) - height);
    second = {.x = first.x + motion.right * width,
              .y = first.y + motion.down * height,
              .along = scale * std::cos(motion.rotation),
              .across = scale * std::sin(motion.rotation)};
    if (is_inside(second, scene, shape)) break;
  }
  out.first = crop(scene, shape, first);
  out.second = crop(scene, shape, second);
  return out;
}

}  // namespace weft::data
