#include "weft/core/parallel.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <new>
#include <thread>

#include "weft/core/error.h"
#include "weft/core/thread_pool.h"

namespace weft {
namespace {

// Ranges per thread. With fewer, a slow thread delays the others longer.
constexpr int64_t kRangesPerThread = 4;

std::atomic<int>& wanted_threads() {
  static std::atomic<int> threads{std::clamp(usable_cores(), 1, ThreadPool::kMaxThreads)};
  return threads;
}

// The pool serves one call at a time; nested calls find it busy.
std::atomic<bool> pool_is_busy{false};

ThreadPool& pool();

// In the child of a fork(), which has none of the threads.
void renew_pool() {
  ::new (&pool()) ThreadPool;
  pool_is_busy.store(false);
}

// Never destroyed: detached threads wait on it.
ThreadPool& pool() {
  static ThreadPool& instance = []() -> ThreadPool& {
    ::pthread_atfork(nullptr, nullptr, renew_pool);
    return *new ThreadPool;
  }();
  return instance;
}

// Wraps a body that may throw, for the pool.
struct Guarded {
  void (*body)(void*, int64_t, int64_t);
  void* state;
  std::atomic<bool> has_failed{false};
  std::exception_ptr error = nullptr;  // the first

  static void run(void* self, int64_t begin, int64_t end) {
    auto& call = *static_cast<Guarded*>(self);
    if (call.has_failed.load(std::memory_order_relaxed)) return;
    try {
      call.body(call.state, begin, end);
    } catch (...) {
      if (!call.has_failed.exchange(true)) call.error = std::current_exception();
    }
  }
};

}  // namespace

void set_threads(int threads) {
  if (threads < 1 || threads > ThreadPool::kMaxThreads) {
    fail<OptionError>("--threads", "out of range; expected 1 to {}, got {}",
                      ThreadPool::kMaxThreads, threads);
  }
  wanted_threads() = threads;
}

int threads() { return wanted_threads(); }

int usable_cores() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) == 0) return CPU_COUNT(&cores);
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

namespace detail {

void run_ranges(int64_t n, int64_t grain, void (*body)(void*, int64_t, int64_t), void* state) {
  if (n <= 0) return;
  const int64_t grains = (n + grain - 1) / grain;
  const int64_t most = std::min<int64_t>(threads(), grains);
  if (most <= 1 || pool_is_busy.exchange(true)) return body(state, 0, n);
  const int64_t ranges = std::min(grains, most * kRangesPerThread);
  const int64_t step = (grains + ranges - 1) / ranges * grain;
  Guarded guarded{body, state};
  pool().run({Guarded::run, &guarded, n, step}, static_cast<int>(most));
  pool_is_busy.store(false, std::memory_order_release);
  if (guarded.error) std::rethrow_exception(guarded.error);
}

}  // namespace detail
}  // namespace weft
