#include "weft/core/float16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace weft {
namespace {

TEST(Float16, ComesBackFromFloat) {
  for (uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const float x = float_of_half(half);
    if (std::isnan(x)) {
      EXPECT_TRUE(std::isnan(float_of_half(half_of_float(x))));
    } else {
      ASSERT_EQ(half_of_float(x), half) << bits;
    }
  }
}

TEST(Float16, HasTheValuesOfTheStandard) {
  EXPECT_EQ(float_of_half(0x3C00), 1);
  EXPECT_EQ(float_of_half(0xC000), -2);
  EXPECT_EQ(float_of_half(0x7BFF), 65504);
  EXPECT_EQ(float_of_half(0x0400), std::ldexp(1.0F, -14));
  EXPECT_EQ(float_of_half(0x0001), std::ldexp(1.0F, -24));
  EXPECT_TRUE(std::isinf(float_of_half(0x7C00)));
  EXPECT_TRUE(std::signbit(float_of_half(0x8000)));
}

// Between each pair of neighbours: below the middle, above it, and the middle itself, whose even
// neighbour is taken.
TEST(Float16, RoundsToNearestEven) {
  for (uint16_t low = 0; low < 0x7BFF; ++low) {
    const auto high = static_cast<uint16_t>(low + 1);
    const float middle = (float_of_half(low) + float_of_half(high)) / 2;
    ASSERT_EQ(half_of_float(std::nextafter(middle, 0.0F)), low);
    ASSERT_EQ(half_of_float(std::nextafter(middle, 1e9F)), high);
    ASSERT_EQ(half_of_float(middle), low % 2 == 0 ? low : high);
    ASSERT_EQ(half_of_float(-middle), (low % 2 == 0 ? low : high) | 0x8000);
  }
}

TEST(Float16, OverflowsToInfinity) {
  EXPECT_EQ(half_of_float(65519.99F), 0x7BFF);
  EXPECT_EQ(half_of_float(65520), 0x7C00);
  EXPECT_EQ(half_of_float(std::numeric_limits<float>::max()), 0x7C00);
  EXPECT_EQ(half_of_float(-std::numeric_limits<float>::infinity()), 0xFC00);
  EXPECT_EQ(half_of_float(1e-30F), 0);
  EXPECT_TRUE(std::isnan(float_of_half(half_of_float(NAN))));
}

}  // namespace
}  // namespace weft
