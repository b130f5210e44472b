#include "weft/data/images/augmentation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace weft::data {
namespace {

constexpr ImageShape kSmall{.height = 6, .width = 8, .channels = 2};
const ChannelStatistics kMeans{{1000.0 / 255, 2000.0 / 255}, {1, 1}};

std::vector<float> numbered() {
  std::vector<float> out(static_cast<size_t>(kSmall.size()));
  std::iota(out.begin(), out.end(), 0.0f);
  return out;
}

std::vector<float> augmented(const AugmentationOptions& options, uint64_t stream) {
  std::vector<float> out = numbered();
  RandomStream random(3, stream);
  augment(out, kSmall, kMeans, options, random);
  return out;
}

float pixel(const std::vector<float>& picture, int64_t y, int64_t x, int64_t c) {
  return picture[static_cast<size_t>((y * kSmall.width + x) * kSmall.channels + c)];
}

TEST(Augmentation, IsAFunctionOfItsStream) {
  const AugmentationOptions all{.random_crop = 2, .random_flip = true, .random_erasing = 0.5};
  EXPECT_EQ(augmented({}, 1), numbered());
  EXPECT_EQ(augmented(all, 1), augmented(all, 1));
  EXPECT_NE(augmented(all, 1), augmented(all, 2));
}

TEST(Augmentation, ShiftsByEveryDistanceUpToItsBound) {
  std::set<std::pair<int64_t, int64_t>> seen;
  for (uint64_t stream = 0; stream < 300; ++stream) {
    const std::vector<float> found = augmented({.random_crop = 1}, stream);
    // Where the pixel of row 3 and column 3 has gone.
    const auto at = std::ranges::find(found, pixel(numbered(), 3, 3, 0)) - found.begin();
    const int64_t down = at / 16 - 3, right = at % 16 / 2 - 3;
    seen.emplace(down, right);
    for (int64_t y = 0; y < 6; ++y) {
      for (int64_t x = 0; x < 8; ++x) {
        const bool is_inside = y - down >= 0 && y - down < 6 && x - right >= 0 && x - right < 8;
        EXPECT_EQ(pixel(found, y, x, 1),
                  is_inside ? pixel(numbered(), y - down, x - right, 1) : 2000);
      }
    }
  }
  EXPECT_EQ(seen.size(), 9u);
  EXPECT_EQ(augmented({.random_crop = 4096}, 1)[0], 1000);  // further than the picture is wide
}

TEST(Augmentation, MirrorsHalfOfThePictures) {
  int mirrored = 0;
  for (uint64_t stream = 0; stream < 200; ++stream) {
    const std::vector<float> found = augmented({.random_flip = true}, stream);
    if (found == numbered()) continue;
    ++mirrored;
    for (int64_t x = 0; x < 8; ++x) {
      EXPECT_EQ(pixel(found, 2, x, 1), pixel(numbered(), 2, 7 - x, 1));
    }
  }
  EXPECT_NEAR(mirrored, 100, 30);
}

TEST(Augmentation, ErasesRectanglesOfTheWantedArea) {
  int erased = 0;
  for (uint64_t stream = 0; stream < 200; ++stream) {
    const std::vector<float> found = augmented({.random_erasing = 0.5}, stream);
    const auto area = std::ranges::count(found, 1000.0f);
    if (area == 0) {
      EXPECT_EQ(found, numbered());
      continue;
    }
    ++erased;
    EXPECT_LE(area, 48 * 0.45);  // sides are rounded
    EXPECT_EQ(std::ranges::count(found, 2000.0f), area);
    int64_t top = 6, bottom = 0, left = 8, right = 0;
    for (int64_t i = 0; i < 48; ++i) {
      if (found[static_cast<size_t>(2 * i)] != 1000) continue;
      top = std::min(top, i / 8), bottom = std::max(bottom, i / 8 + 1);
      left = std::min(left, i % 8), right = std::max(right, i % 8 + 1);
    }
    EXPECT_EQ((bottom - top) * (right - left), area);
  }
  EXPECT_NEAR(erased, 100, 30);
}

// Mean and variance of the beta distribution of (a, a): 1 / 2 and 1 / (4 (2 a + 1)).
TEST(Beta, HasItsMeanAndVariance) {
  for (const double a : {1e-3, 0.2, 1.0}) {
    RandomStream random(5, 1);
    double sum = 0, squares = 0;
    constexpr int kDraws = 20000;
    for (int i = 0; i < kDraws; ++i) {
      const double x = draw_beta(a, random);
      ASSERT_TRUE(x >= 0 && x <= 1);
      sum += x, squares += x * x;
    }
    const double mean = sum / kDraws;
    EXPECT_NEAR(mean, 0.5, 0.015) << a;
    EXPECT_NEAR(squares / kDraws - mean * mean, 1 / (4 * (2 * a + 1)), 0.01) << a;
  }
}

}  // namespace
}  // namespace weft::data
