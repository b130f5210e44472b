// Statistics of one update.
#ifndef WEFT_TRAIN_UPDATE_REPORT_H_
#define WEFT_TRAIN_UPDATE_REPORT_H_

#include <cstdint>

#include "weft/train/progress.h"

namespace weft::train {

struct UpdateReport {
  Progress progress;
  // Mean loss per target since the last due report; NaN if all updates since then were skipped.
  double loss = 0;
  double learn_rate = 0;
  double gradient_norm = 0;       // of this update, before clipping
  double targets_per_second = 0;  // since the last due report
  double seconds_left = 0;        // until --after, at the mean speed of this run
  int64_t skipped = 0;
  bool is_due = false;  // by --disp-freq
};

}  // namespace weft::train

#endif  // WEFT_TRAIN_UPDATE_REPORT_H_
