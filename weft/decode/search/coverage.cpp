#include "weft/decode/search/coverage.h"

#include <algorithm>
#include <cmath>

namespace weft::decode {

Coverage covered(const Coverage& so_far, std::span<const float> weights) {
  Coverage out(weights.begin(), weights.end());
  for (size_t i = 0; i < so_far.size(); ++i) out[i] += so_far[i];
  return out;
}

double coverage_penalty(double beta, const Coverage& coverage) {
  constexpr double kLeast = 1e-10;
  double sum = 0;
  for (const double c : coverage) sum += std::log(std::clamp(c, kLeast, 1.0));
  return beta * sum;
}

}  // namespace weft::decode
