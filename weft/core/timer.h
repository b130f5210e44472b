// Wall-clock time, for reports only: it never influences a result.
#ifndef WEFT_CORE_TIMER_H_
#define WEFT_CORE_TIMER_H_

#include <chrono>

namespace weft {

class Timer {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  void restart() { start_ = std::chrono::steady_clock::now(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace weft

#endif  // WEFT_CORE_TIMER_H_
