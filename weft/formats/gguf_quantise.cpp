#include "weft/formats/gguf_quantise.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "weft/core/error.h"
#include "weft/core/float16.h"

namespace weft::formats {
namespace {

constexpr int kBlock = 32;

template <class T>
void append(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void append_byte(std::string& out, int value) { out += static_cast<char>(value); }

// Rounds to nearest, ties to even.
uint16_t bfloat16_of(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  if (std::isnan(x)) return static_cast<uint16_t>(bits >> 16 | 64);
  return static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

// Scale d = max |x| / 127, then round(x / d).
void q8_0_block(const float* x, std::string& out) {
  float largest = 0;
  for (int i = 0; i < kBlock; ++i) largest = std::max(largest, std::abs(x[i]));
  const float d = largest / 127, inverse = d == 0 ? 0 : 1 / d;
  append(out, half_of_float(d));
  for (int i = 0; i < kBlock; ++i) append_byte(out, static_cast<int>(std::round(x[i] * inverse)));
}

// Scale d = -x / 8 of the x of the largest magnitude, so that x itself is 0; then x / d + 8,
// rounded and at most 15. Byte i holds elements i and i + 16.
void q4_0_block(const float* x, std::string& out) {
  const float extreme =
      *std::max_element(x, x + kBlock, [](float a, float b) { return std::abs(a) < std::abs(b); });
  const float d = extreme / -8, inverse = d == 0 ? 0 : 1 / d;
  append(out, half_of_float(d));
  const auto level = [&](float value) {
    return std::min(15, static_cast<int>(double{value} * double{inverse} + 8.5));
  };
  for (int i = 0; i < kBlock / 2; ++i) append_byte(out, level(x[i]) | level(x[i + 16]) << 4);
}

}  // namespace

std::string quantise(GgufType type, std::span<const float> numbers) {
  std::string out;
  out.reserve(numbers.size() / static_cast<size_t>(layout_of(type).elements) *
              static_cast<size_t>(layout_of(type).bytes));
  const auto each_block = [&](auto function) {
    for (size_t i = 0; i < numbers.size(); i += kBlock) function(numbers.data() + i, out);
  };
  switch (type) {
    case GgufType::kF32:
      out.assign(reinterpret_cast<const char*>(numbers.data()), 4 * numbers.size());
      break;
    case GgufType::kF16:
      for (const float x : numbers) append(out, half_of_float(x));
      break;
    case GgufType::kBF16:
      for (const float x : numbers) append(out, bfloat16_of(x));
      break;
    case GgufType::kQ8_0: each_block(q8_0_block); break;
    case GgufType::kQ4_0: each_block(q4_0_block); break;
    default: fail<OptionError>("gguf", "{} is not written", layout_of(type).name);
  }
  return out;
}

}  // namespace weft::formats
