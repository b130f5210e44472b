#include "weft/predict/not_finite.h"

#include <algorithm>
#include <cmath>

namespace weft::predict {

bool is_finite(std::span<const float> scores) {
  return std::ranges::all_of(scores, [](float score) { return std::isfinite(score); });
}

}  // namespace weft::predict
