#include "weft/core/float16.h"

#include <algorithm>
#include <cmath>

namespace weft {
namespace {

constexpr int kMantissaBits = 10;
constexpr int kMinExponent = -14;  // of normal numbers, 1.m * 2^e
constexpr uint16_t kInfinity = 0x7C00, kNan = 0x7E00, kSign = 0x8000;

}  // namespace

float float_of_half(uint16_t bits) {
  const int exponent = (bits >> kMantissaBits) & 0x1F;
  const int mantissa = bits & 0x3FF;
  float magnitude = 0;
  if (exponent == 0x1F) {
    magnitude = mantissa == 0 ? INFINITY : NAN;
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<float>(mantissa), kMinExponent - kMantissaBits);
  } else {
    magnitude = std::ldexp(static_cast<float>(mantissa + 0x400),
                           exponent - 1 + kMinExponent - kMantissaBits);
  }
  return (bits & kSign) != 0 ? -magnitude : magnitude;
}

uint16_t half_of_float(float x) {
  const auto sign = static_cast<uint16_t>(std::signbit(x) ? kSign : 0);
  if (std::isnan(x)) return static_cast<uint16_t>(sign | kNan);
  const float magnitude = std::abs(x);
  // Units of the last place: those of subnormal numbers, or of the exponent of x.
  const int exponent =
      magnitude == 0 ? kMinExponent : std::max(std::ilogb(magnitude), kMinExponent);
  if (exponent > 15) return static_cast<uint16_t>(sign | kInfinity);
  const float units = std::nearbyint(std::ldexp(magnitude, kMantissaBits - exponent));
  // A carry out of the mantissa raises the exponent, up to that of infinity.
  const int biased = exponent - kMinExponent;
  return static_cast<uint16_t>(sign | ((biased << kMantissaBits) + static_cast<int>(units)));
}

}  // namespace weft
