#include "weft/predict/not_finite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace weft::predict {

bool is_finite(std::span<const float> scores) {
  return std::ranges::all_of(scores, [](float score) { return std::isfinite(score); });
}

std::string text_of(const NotFiniteLines& lines) {
  return fmt::format("whose scores are not finite numbers (left empty; the first is number {})",
                     lines.first);
}

}  // namespace weft::predict
