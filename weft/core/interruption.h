// Lets a caller stop long work, such as reading data, from the inside.
#ifndef WEFT_CORE_INTERRUPTION_H_
#define WEFT_CORE_INTERRUPTION_H_

#include <chrono>
#include <exception>
#include <functional>

namespace weft {

// While it lives, interruption_point() on the thread that made it calls `check`, the first time and
// then ten times a second at most. What `check` throws ends the work. It is thrown again at each
// later point, because readers catch errors of single files. Where there are several, the
// last is in force. An empty function does nothing.
class InterruptionCheck {
 public:
  explicit InterruptionCheck(std::function<void()> check);
  ~InterruptionCheck();
  InterruptionCheck(const InterruptionCheck&) = delete;
  InterruptionCheck& operator=(const InterruptionCheck&) = delete;

  // Throws what `check` threw, if it did.
  void rethrow() const;

 private:
  friend void interruption_point(bool now);

  std::function<void()> check_;
  std::chrono::steady_clock::time_point next_ = {};
  std::exception_ptr thrown_;
  InterruptionCheck* before_;
};

// Called between the steps of long work: for each file, each read and each batch. `now` skips the
// limit of ten times a second, for a wait that a signal ended.
void interruption_point(bool now = false);

}  // namespace weft

#endif  // WEFT_CORE_INTERRUPTION_H_
