#include "weft/core/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>

namespace weft {
namespace {

// Longer than the usual work between two calls, shorter than a scheduler time slice.
constexpr std::chrono::microseconds kSpin{50};

struct Ranges {
  uint32_t call_id;
  uint32_t begin, end;

  explicit Ranges(uint64_t word)
      : call_id(static_cast<uint32_t>(word >> 32)),
        begin(word >> 16 & 0xFFFF),
        end(word & 0xFFFF) {}
  Ranges(uint32_t call, int64_t first, int64_t last)
      : call_id(call), begin(static_cast<uint32_t>(first)), end(static_cast<uint32_t>(last)) {}
  uint64_t word() const { return uint64_t{call_id} << 32 | uint64_t{begin} << 16 | end; }
};

// Returns false if the condition is still false after kSpin.
template <class Condition>
bool spin_until(Condition&& condition) {
  constexpr int kChecksPerClockRead = 16;
  if (condition()) return true;
  const auto end = std::chrono::steady_clock::now() + kSpin;
  do {
    for (int i = 0; i < kChecksPerClockRead; ++i) {
      __builtin_ia32_pause();
      if (condition()) return true;
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

}  // namespace

void ThreadPool::run(const Call& call, int threads) {
  const int64_t ranges = (call.n + call.step - 1) / call.step;
  threads = static_cast<int>(std::min<int64_t>(threads, ranges));
  start_workers(threads - 1);
  body_.store(call.body, std::memory_order_relaxed);
  state_.store(call.state, std::memory_order_relaxed);
  n_.store(call.n, std::memory_order_relaxed);
  step_.store(call.step, std::memory_order_relaxed);
  threads_.store(threads, std::memory_order_relaxed);
  unfinished_.store(static_cast<int>(ranges), std::memory_order_relaxed);
  distribute(ranges, threads);
  unfinished_.fetch_sub(take_all(0), std::memory_order_acq_rel);
  wait_until_finished();
}

void ThreadPool::start_workers(int count) {
  try {
    while (can_start_ && workers_ < count) {
      std::thread([this, index = workers_ + 1] { work(index); }).detach();
      ++workers_;
    }
  } catch (const std::exception&) {
    can_start_ = false;  // the threads that exist take all ranges
  }
}

void ThreadPool::distribute(int64_t ranges, int threads) {
  ++call_id_;
  for (int i = threads - 1; i >= 0; --i) {
    RangeQueue& queue = queues_[static_cast<size_t>(i)];
    queue.word.store(Ranges(call_id_, ranges * i / threads, ranges * (i + 1) / threads).word());
    if (i == 0 || queue.is_asleep.load() == 0) continue;
    queue.is_asleep.store(0);
    queue.is_asleep.notify_one();
  }
}

void ThreadPool::work(int index) {
  RangeQueue& queue = queues_[static_cast<size_t>(index)];
  uint32_t seen = 0;
  const auto is_called = [&] { return Ranges(queue.word.load()).call_id != seen; };
  while (true) {
    if (!spin_until(is_called)) {
      // Sequential consistency: the caller stores the word, then loads the flag; this thread stores
      // the flag, then loads the word. One of them sees the other's store.
      while (queue.is_asleep.store(1), !is_called()) queue.is_asleep.wait(1);
      queue.is_asleep.store(0);
    }
    seen = Ranges(queue.word.load()).call_id;
    const int taken = take_all(index);
    if (taken > 0 && unfinished_.fetch_sub(taken, std::memory_order_acq_rel) == taken) {
      unfinished_.notify_one();
    }
  }
}

// Returns the number of ranges processed.
int ThreadPool::take_all(int index) {
  const int threads = threads_.load(std::memory_order_relaxed);
  int taken = 0;
  while (take<true>(queues_[static_cast<size_t>(index)])) ++taken;
  for (int i = 1; i < threads; ++i) {
    while (take<false>(queues_[static_cast<size_t>((index + i) % threads)])) ++taken;
  }
  return taken;
}

template <bool kFront>
bool ThreadPool::take(RangeQueue& queue) {
  uint64_t word = queue.word.load(std::memory_order_acquire);
  while (true) {
    Ranges left(word);
    if (left.begin == left.end) return false;
    const int64_t range = kFront ? left.begin++ : --left.end;
    const Body body = body_.load(std::memory_order_relaxed);
    void* const state = state_.load(std::memory_order_relaxed);
    const int64_t n = n_.load(std::memory_order_relaxed);
    const int64_t step = step_.load(std::memory_order_relaxed);
    if (!queue.word.compare_exchange_weak(word, left.word(), std::memory_order_acq_rel,
                                          std::memory_order_acquire)) {
      continue;
    }
    body(state, range * step, std::min(n, (range + 1) * step));
    return true;
  }
}

void ThreadPool::wait_until_finished() {
  const auto is_finished = [&] { return unfinished_.load(std::memory_order_acquire) == 0; };
  if (spin_until(is_finished)) return;
  for (int left; (left = unfinished_.load(std::memory_order_acquire)) != 0;) unfinished_.wait(left);
}

}  // namespace weft
