// Reading of data that its caller may give up.
#ifndef WEFT_CORE_INTERRUPTION_H_
#define WEFT_CORE_INTERRUPTION_H_

#include <chrono>
#include <exception>
#include <functional>

namespace weft {

// While it lives, interruption_point() on the thread that made it calls `check`, the first time and
// then ten times a second at most. What `check` throws goes on through the reader, and is thrown
// again at each later point, as readers catch errors of single files. Where there are several, the
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

// Readers call it for each line and file; with `now`, where a signal has ended a wait.
void interruption_point(bool now = false);

}  // namespace weft

#endif  // WEFT_CORE_INTERRUPTION_H_
