// How long a training is, and how much of it is done.
#ifndef WEFT_TRAIN_SCHEDULE_LENGTH_H_
#define WEFT_TRAIN_SCHEDULE_LENGTH_H_

#include "weft/data/batch_options.h"
#include "weft/data/dataset.h"
#include "weft/train/options.h"

namespace weft::train {

// The updates until --after is reached, as if every batch were full: an estimate, which needs no
// plan of an epoch. `targets` are those of an epoch. Early stopping is not known in advance.
int64_t planned_updates(const LoopOptions& loop, const data::BatchOptions& batching,
                        const data::Dataset& dataset, double targets);

// The completed fraction of `length`; `epoch_part` is that of the current epoch.
double completed_fraction(const options::Period& length, const Progress& progress,
                          double epoch_part);

// Warns of a schedule whose warm-up ends after the training of about `updates` updates.
void warn_if_never_warm(const ScheduleOptions& schedule, const options::Period& after,
                        int64_t updates);

}  // namespace weft::train

#endif  // WEFT_TRAIN_SCHEDULE_LENGTH_H_
