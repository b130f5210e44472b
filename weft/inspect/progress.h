// Says in the log how far a long work is.
#ifndef WEFT_INSPECT_PROGRESS_H_
#define WEFT_INSPECT_PROGRESS_H_

#include <cstdint>
#include <string>

#include "weft/core/log.h"
#include "weft/core/timer.h"

namespace weft::inspect {

// Every few seconds, so that quick work says nothing.
class Progress {
 public:
  // `items` are what is counted: "explained labels".
  Progress(std::string items, int64_t total) : items_(std::move(items)), total_(total) {}

  void add_one() {
    constexpr double kSeconds = 5;
    ++done_;
    if (timer_.seconds() < kSeconds) return;
    timer_.restart();
    log::info("{} of {} {}", done_, total_, items_);
  }

 private:
  std::string items_;
  int64_t total_;
  int64_t done_ = 0;
  Timer timer_;
};

}  // namespace weft::inspect

#endif  // WEFT_INSPECT_PROGRESS_H_
