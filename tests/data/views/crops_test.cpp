#include "weft/data/views/crops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace weft::data {
namespace {

constexpr ImageShape kShape{.height = 10, .width = 12, .channels = 1};

// A plane, which interpolation does not change.
double plane(double x, double y) { return 20 + 1.5 * x + 0.75 * y; }

Image plane_scene(int64_t height, int64_t width) {
  Image out{.height = height, .width = width, .channels = 1, .pixels = {}};
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      out.pixels.push_back(static_cast<uint8_t>(
          std::lround(plane(static_cast<double>(x) + 0.5, static_cast<double>(y) + 0.5))));
    }
  }
  return out;
}

double at(const std::vector<float>& view, int64_t row, int64_t column) {
  return view[static_cast<size_t>(row * kShape.width + column)];
}

TEST(Crops, TheMotionSaysWhereTheSecondViewStandsInTheFirst) {
  const Image scene = plane_scene(60, 70);
  const CropOptions options{.share = 0.5, .shift = 0.3, .scale = 1.5, .rotation = 40};
  for (uint64_t stream = 0; stream < 40; ++stream) {
    RandomStream random(5, stream);
    const CropPair found = draw_crops(scene, kShape, options, random);
    const CropMotion& m = found.motion;
    EXPECT_LE(std::abs(m.right), 0.3);
    EXPECT_LE(std::abs(m.down), 0.3);
    EXPECT_LE(std::abs(m.log_scale), std::log(1.5));
    EXPECT_LE(std::abs(m.rotation), 40 * std::numbers::pi / 180);
    // The plane at the center of the first view, from its four middle pixels.
    const double center = (at(found.first, 4, 5) + at(found.first, 4, 6) + at(found.first, 5, 5) +
                           at(found.first, 5, 6)) /
                          4;
    for (const auto& [row, column] : {std::pair{0, 0}, {0, 11}, {9, 3}, {5, 6}}) {
      const double right = column + 0.5 - 6, down = row + 0.5 - 5, scale = std::exp(m.log_scale);
      const double x =
          m.right * 12 + scale * (std::cos(m.rotation) * right - std::sin(m.rotation) * down);
      const double y =
          m.down * 10 + scale * (std::sin(m.rotation) * right + std::cos(m.rotation) * down);
      EXPECT_NEAR(at(found.second, row, column) - center, 1.5 * x + 0.75 * y, 1.1);
    }
  }
}

TEST(Crops, AreAFunctionOfTheStream) {
  const Image scene = plane_scene(40, 40);
  const auto draw = [&](uint64_t stream) {
    RandomStream random(5, stream);
    return draw_crops(scene, kShape, {}, random);
  };
  EXPECT_EQ(draw(1).second, draw(1).second);
  EXPECT_NE(draw(1).motion.right, draw(2).motion.right);
}

TEST(Crops, WithoutMotionTheViewsAreEqual) {
  const Image scene = plane_scene(40, 40);
  RandomStream random(1, 1);
  const CropPair found = draw_crops(scene, kShape, {.shift = 0, .scale = 1, .rotation = 0}, random);
  EXPECT_EQ(found.first, found.second);
}

// Where no place fits, pixels of the border go on.
TEST(Crops, TakeAnySceneAsLargeAsAView) {
  const Image scene = plane_scene(10, 12);
  RandomStream random(1, 1);
  const CropPair found =
      draw_crops(scene, kShape, {.shift = 1, .scale = 10, .rotation = 180}, random);
  for (const float x : found.second) {
    EXPECT_GE(x, plane(0.5, 0.5) - 1);
    EXPECT_LE(x, plane(11.5, 9.5) + 1);
  }
}

TEST(Scene, HasTheSizeAtWhichAPixelIsAPixel) {
  const Image wide = scene_of(plane_scene(40, 120), kShape, {.share = 0.5});
  EXPECT_EQ(wide.height, 20);  // twice as high as a view
  EXPECT_EQ(wide.width, 60);
  const Image small = scene_of(plane_scene(5, 6), {.height = 10, .width = 12, .channels = 3}, {});
  EXPECT_EQ(small.height, 20);
  EXPECT_EQ(small.channels, 3);
  EXPECT_EQ(scene_of(plane_scene(40, 48), kShape, {.share = 1}).height, 10);
}

}  // namespace
}  // namespace weft::data
