// Learning rate schedules.
#ifndef WEFT_TRAIN_SCHEDULE_SCHEDULE_H_
#define WEFT_TRAIN_SCHEDULE_SCHEDULE_H_

#include <cstdint>
#include <optional>

#include "weft/options/fields.h"
#include "weft/options/one_of.h"
#include "weft/train/schedule/constant.h"
#include "weft/train/schedule/decay.h"
#include "weft/train/schedule/inverse_sqrt.h"

namespace weft::train {

using ScheduleKinds = options::OneOf<InverseSqrt, LinearDecay, CosineDecay, Constant>;

struct ScheduleOptions {
  double learn_rate = 0.0005;
  ScheduleKinds kind;
  int64_t warmup = 4000;
  double warmup_ratio = 0;

  template <class V>
  void fields(V& v) {
    options::group(v, "Learning rate");
    v("learn-rate", learn_rate,
      {.help = "peak learning rate, reached at the end of the warm-up",
       .min = 0,
       .max = 100,
       .letter = 'l',
       .alias = "lr"});
    options::choice(v, "lr-schedule", kind, {.help = "decay after the warm-up"});
    v("lr-warmup", warmup,
      {.help = "updates of linear warm-up from 0; 0: none", .min = 0, .max = 1e9});
    v("lr-warmup-ratio", warmup_ratio,
      {.help = "warm-up as a share of the updates that --after allows when training begins, "
               "instead of --lr-warmup; 0: --lr-warmup",
       .min = 0,
       .max = 1,
       .alias = "warmup-ratio",
       .replaces = "lr-warmup"});
  }

  // With warm-up and decay in updates, for a training of this many. `warmup_then`, where there is
  // one, is the warm-up that it began with.
  ScheduleOptions for_length(int64_t updates, std::optional<int64_t> warmup_then = {}) const;
  // Throws OptionError if the decay ends before the warm-up.
  void validate() const;
  Peak peak() const { return {learn_rate, static_cast<double>(warmup)}; }
};

class Schedule {
 public:
  explicit Schedule(const ScheduleOptions& options);
  // The learning rate of an update; updates count from 1.
  double rate(int64_t update) const;

 private:
  ScheduleKinds kind_;
  Peak peak_;
};

}  // namespace weft::train

#endif  // WEFT_TRAIN_SCHEDULE_SCHEDULE_H_
