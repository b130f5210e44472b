// The highest learning rate of a schedule, from which it decays.
#ifndef WEFT_TRAIN_SCHEDULE_PEAK_H_
#define WEFT_TRAIN_SCHEDULE_PEAK_H_

namespace weft::train {

struct Peak {
  double rate;
  double update;  // the last one of the warm-up, 0 or more
};

}  // namespace weft::train

#endif  // WEFT_TRAIN_SCHEDULE_PEAK_H_
