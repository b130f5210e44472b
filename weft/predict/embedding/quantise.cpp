#include "weft/predict/embedding/quantise.h"

#include <algorithm>
#include <cmath>

namespace weft::predict {

std::vector<int8_t> int8_vector(std::span<const float> vector) {
  float largest = 0;
  for (const float value : vector) largest = std::max(largest, std::abs(value));
  const double scale = largest > 0 ? 127 / double{largest} : 0;
  std::vector<int8_t> out;
  for (const float value : vector) {
    out.push_back(static_cast<int8_t>(std::nearbyint(value * scale)));
  }
  return out;
}

std::vector<uint8_t> sign_bits(std::span<const float> vector) {
  std::vector<uint8_t> out((vector.size() + 7) / 8);
  for (size_t i = 0; i < vector.size(); ++i) {
    if (vector[i] > 0) out[i / 8] |= static_cast<uint8_t>(0x80U >> (i % 8));
  }
  return out;
}

}  // namespace weft::predict
