// 1 / sqrt(update) of "Attention Is All You Need" (Vaswani et al. 2017, arXiv 1706.03762).
#ifndef WEFT_TRAIN_SCHEDULE_INVERSE_SQRT_H_
#define WEFT_TRAIN_SCHEDULE_INVERSE_SQRT_H_

#include <algorithm>
#include <cmath>
#include <string_view>

#include "weft/train/schedule/peak.h"

namespace weft::train {

struct InverseSqrt {
  static constexpr std::string_view kName = "inverse-sqrt";
  static constexpr std::string_view kHelp = "1 / sqrt(update), as in the paper";

  double rate(double update, const Peak& peak) const {
    return peak.rate * std::sqrt(std::max(peak.update, 1.0) / std::max(update, 1.0));
  }
};

}  // namespace weft::train

#endif  // WEFT_TRAIN_SCHEDULE_INVERSE_SQRT_H_
