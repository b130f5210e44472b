// Learning rate schedules.
#ifndef WEFT_TRAIN_SCHEDULE_SCHEDULE_H_
#define WEFT_TRAIN_SCHEDULE_SCHEDULE_H_

#include <cstdint>
#include <string>
#include <variant>

#include "weft/core/fields.h"

namespace weft::train {

struct ScheduleOptions {
  double learn_rate = 0.0005;
  std::string schedule = "inverse-sqrt";
  int64_t warmup = 4000;
  double warmup_ratio = 0;
  int64_t decay_updates = 100000;
  double final_rate = 0;

  template <class V>
  void fields(V& v) {
    group(v, "Learning rate");
    v("learn-rate", learn_rate,
      {.help = "peak learning rate, reached at the end of the warm-up",
       .min = 0,
       .max = 100,
       .letter = 'l',
       .alias = "lr"});
    v("lr-schedule", schedule,
      {.help = "decay after the warm-up: 1 / sqrt(update) (as in the paper), linear or "
               "half cosine until --lr-decay-updates, or constant",
       .choices = "inverse-sqrt|linear|cosine|constant"});
    v("lr-warmup", warmup,
      {.help = "updates of linear warm-up from 0; 0: none", .min = 0, .max = 1e9});
    v("lr-warmup-ratio", warmup_ratio,
      {.help = "warm-up as a share of the updates that --after allows when training begins, "
               "instead of --lr-warmup; 0: --lr-warmup",
       .min = 0,
       .max = 1,
       .alias = "warmup-ratio",
       .replaces = "lr-warmup"});
    v("lr-decay-updates", decay_updates,
      {.help = "update at which linear and cosine decay end", .min = 1, .max = 1e12});
    v("lr-final", final_rate,
      {.help = "learning rate at the end of linear and cosine decay", .min = 0, .max = 100});
  }

  // With the warm-up in updates, for a training of this many.
  ScheduleOptions for_length(int64_t updates) const;
  // Throws OptionError if the decay ends before the warm-up, or for decay options without a decay.
  void validate() const;
};

// Decay factors after the warm-up, relative to the peak rate; `update` counts from 1.
struct InverseSqrt {
  double warmup;
  double operator()(double update) const;
};
struct LinearDecay {
  double warmup, end, final_factor;
  double operator()(double update) const;
};
struct CosineDecay {
  double warmup, end, final_factor;
  double operator()(double update) const;
};
struct Constant {
  double operator()(double) const { return 1; }
};

class Schedule {
 public:
  explicit Schedule(const ScheduleOptions& options);
  // The learning rate of an update; updates count from 1.
  double rate(int64_t update) const;

 private:
  double peak_;
  double warmup_;
  std::variant<InverseSqrt, LinearDecay, CosineDecay, Constant> decay_;
};

}  // namespace weft::train

#endif  // WEFT_TRAIN_SCHEDULE_SCHEDULE_H_
