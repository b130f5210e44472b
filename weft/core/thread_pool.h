// The work-stealing thread pool behind parallel_for.
#ifndef WEFT_CORE_THREAD_POOL_H_
#define WEFT_CORE_THREAD_POOL_H_

#include <array>
#include <atomic>
#include <cstdint>

namespace weft {

// The ranges of a call are distributed in equal contiguous queues, one per thread. A thread takes
// ranges from the front of its queue and, once that is empty, from the back of the other queues, so
// a preempted thread delays only the range it is processing. Idle threads spin for some
// microseconds, which covers the usual time between two calls, and then sleep, which leaves the
// core to other processes.
class ThreadPool {
 public:
  static constexpr int kMaxThreads = 1024;

  using Body = void (*)(void* state, int64_t begin, int64_t end);

  // `n` items in ranges of `step`; the last range may be shorter.
  struct Call {
    Body body;
    void* state;
    int64_t n;
    int64_t step;
  };

  // Processes all ranges on at most `threads` threads, including the calling thread, and returns
  // when all are finished. Not reentrant and not thread-safe.
  void run(const Call& call, int threads);

 private:
  // The ranges of one thread that have not been taken, packed in one word: call id, first range,
  // one past the last. If a compare-and-swap takes a range, the call was unfinished when its fields
  // were read.
  struct alignas(64) RangeQueue {
    std::atomic<uint64_t> word{0};
    std::atomic<int> is_asleep{0};
  };

  void start_workers(int count);
  void distribute(int64_t ranges, int threads);
  void work(int index);
  int take_all(int index);
  template <bool kFront>
  bool take(RangeQueue& queue);
  void wait_until_finished();

  std::array<RangeQueue, kMaxThreads> queues_;  // [0] is the caller's
  int workers_ = 0;                             // started
  bool can_start_ = true;
  uint32_t call_id_ = 0;

  // Fields of the current call. Atomic, because a late worker may read them while the next call is
  // being set up; it discards what it read.
  std::atomic<Body> body_{nullptr};
  std::atomic<void*> state_{nullptr};
  std::atomic<int64_t> n_{0}, step_{0};
  std::atomic<int> threads_{0};
  alignas(64) std::atomic<int> unfinished_{0};  // ranges
};

}  // namespace weft

#endif  // WEFT_CORE_THREAD_POOL_H_
