// The pool behind parallel_for: threads that wait politely and take work from each other.
#ifndef WEFT_CORE_THREAD_POOL_H_
#define WEFT_CORE_THREAD_POOL_H_

#include <array>
#include <atomic>
#include <cstdint>

namespace weft {

// A call's ranges are dealt out in equal runs, one for each thread; a thread takes its run from the
// front and, once that is empty, from the back of another's. A thread that the system does not let
// run thus holds up the range it is at, and no other. Threads that wait spin for some microseconds,
// which covers the time between two calls, and then sleep, so that other processes have the core.
class ThreadPool {
 public:
  static constexpr int kMostThreads = 1024;

  using Body = void (*)(void* state, int64_t begin, int64_t end);

  // `n` items in ranges of `step`; all but the last are whole.
  struct Call {
    Body body;
    void* state;
    int64_t n;
    int64_t step;
  };

  // Runs all ranges on at most `threads` threads, the calling one included, and returns when the
  // last is done. For one caller at a time.
  void run(const Call& call, int threads);

 private:
  // The ranges dealt to one thread that nobody has taken yet, as one word: the call's number, the
  // first range, and the one past the last. Where a compare-and-swap takes a range, the call was
  // still open when its fields were read.
  struct alignas(64) Run {
    std::atomic<uint64_t> word{0};
    std::atomic<int> is_asleep{0};
  };

  void start_workers(int count);
  void deal(int64_t ranges, int threads);
  void work(int index);
  int take_all(int index);
  template <bool kFront>
  bool take(Run& run);
  void wait_for_end();

  std::array<Run, kMostThreads> runs_;  // [0] is the caller's
  int workers_ = 0;                     // started
  bool can_start_ = true;
  uint32_t number_ = 0;  // of the call

  // Fields of the call that is open. Atomic, since a worker that comes late may read them while the
  // next call is set up; what it reads then is not used.
  std::atomic<Body> body_{nullptr};
  std::atomic<void*> state_{nullptr};
  std::atomic<int64_t> n_{0}, step_{0};
  std::atomic<int> threads_{0};
  alignas(64) std::atomic<int> open_{0};  // ranges that are not done
};

}  // namespace weft

#endif  // WEFT_CORE_THREAD_POOL_H_
