#ifndef WEFT_TRAIN_SCHEDULE_CONSTANT_H_
#define WEFT_TRAIN_SCHEDULE_CONSTANT_H_

#include <string_view>

#include "weft/train/schedule/peak.h"

namespace weft::train {

struct Constant {
  static constexpr std::string_view kName = "constant";
  static constexpr std::string_view kHelp = "no decay";

  double rate(double, const Peak& peak) const { return peak.rate; }
};

}  // namespace weft::train

#endif  // WEFT_TRAIN_SCHEDULE_CONSTANT_H_
