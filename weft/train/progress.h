// How far a training is, and whether a period of it has passed.
#ifndef WEFT_TRAIN_PROGRESS_H_
#define WEFT_TRAIN_PROGRESS_H_

#include <cstdint>

#include "weft/options/period.h"

namespace weft::train {

// Updates made, targets seen (Task::targets()) and epochs completed so far.
struct Progress {
  int64_t updates = 0;
  int64_t targets = 0;
  int64_t epochs = 0;
  bool operator==(const Progress&) const = default;
};

// The counter in the unit of the period.
int64_t counter(const options::Period& period, const Progress& progress);
// Whether the counter has reached the value; false for a period of 0.
bool reached(const options::Period& period, const Progress& progress);
// Whether a multiple of the period lies in (before, after]; false for a period of 0.
bool passed(const options::Period& period, const Progress& before, const Progress& after);

}  // namespace weft::train

#endif  // WEFT_TRAIN_PROGRESS_H_
