#include "weft/core/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>

namespace weft {
namespace {

// Long enough for what a caller does between two calls, short beside the system's time slices.
constexpr std::chrono::microseconds kSpin{50};

struct Ranges {
  uint32_t number;
  uint32_t begin, end;

  explicit Ranges(uint64_t word)
      : number(static_cast<uint32_t>(word >> 32)), begin(word >> 16 & 0xFFFF), end(word & 0xFFFF) {}
  Ranges(uint32_t call, int64_t first, int64_t last)
      : number(call), begin(static_cast<uint32_t>(first)), end(static_cast<uint32_t>(last)) {}
  uint64_t word() const { return uint64_t{number} << 32 | uint64_t{begin} << 16 | end; }
};

// False where the condition has not come true for kSpin.
template <class Condition>
bool spin_until(Condition&& condition) {
  constexpr int kChecksAClockRead = 16;
  if (condition()) return true;
  const auto end = std::chrono::steady_clock::now() + kSpin;
  do {
    for (int i = 0; i < kChecksAClockRead; ++i) {
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
  open_.store(static_cast<int>(ranges), std::memory_order_relaxed);
  deal(ranges, threads);
  open_.fetch_sub(take_all(0), std::memory_order_acq_rel);
  wait_for_end();
}

void ThreadPool::start_workers(int count) {
  try {
    while (can_start_ && workers_ < count) {
      std::thread([this, index = workers_ + 1] { work(index); }).detach();
      ++workers_;
    }
  } catch (const std::exception&) {
    can_start_ = false;  // the others take the ranges of those that are missing
  }
}

void ThreadPool::deal(int64_t ranges, int threads) {
  ++number_;
  for (int i = threads - 1; i >= 0; --i) {
    Run& run = runs_[static_cast<size_t>(i)];
    run.word.store(Ranges(number_, ranges * i / threads, ranges * (i + 1) / threads).word());
    if (i == 0 || run.is_asleep.load() == 0) continue;
    run.is_asleep.store(0);
    run.is_asleep.notify_one();
  }
}

void ThreadPool::work(int index) {
  Run& own = runs_[static_cast<size_t>(index)];
  uint32_t seen = 0;
  const auto is_called = [&] { return Ranges(own.word.load()).number != seen; };
  while (true) {
    if (!spin_until(is_called)) {
      // The caller stores the word and then reads the flag; here it is the other way round.
      while (own.is_asleep.store(1), !is_called()) own.is_asleep.wait(1);
      own.is_asleep.store(0);
    }
    seen = Ranges(own.word.load()).number;
    const int taken = take_all(index);
    if (taken > 0 && open_.fetch_sub(taken, std::memory_order_acq_rel) == taken) {
      open_.notify_one();
    }
  }
}

// Returns how many ranges were done.
int ThreadPool::take_all(int index) {
  const int threads = threads_.load(std::memory_order_relaxed);
  int taken = 0;
  while (take<true>(runs_[static_cast<size_t>(index)])) ++taken;
  for (int i = 1; i < threads; ++i) {
    while (take<false>(runs_[static_cast<size_t>((index + i) % threads)])) ++taken;
  }
  return taken;
}

template <bool kFront>
bool ThreadPool::take(Run& run) {
  uint64_t word = run.word.load(std::memory_order_acquire);
  while (true) {
    Ranges left(word);
    if (left.begin == left.end) return false;
    const int64_t range = kFront ? left.begin++ : --left.end;
    const Body body = body_.load(std::memory_order_relaxed);
    void* const state = state_.load(std::memory_order_relaxed);
    const int64_t n = n_.load(std::memory_order_relaxed);
    const int64_t step = step_.load(std::memory_order_relaxed);
    if (!run.word.compare_exchange_weak(word, left.word(), std::memory_order_acq_rel,
                                        std::memory_order_acquire)) {
      continue;
    }
    body(state, range * step, std::min(n, (range + 1) * step));
    return true;
  }
}

void ThreadPool::wait_for_end() {
  const auto is_over = [&] { return open_.load(std::memory_order_acquire) == 0; };
  if (spin_until(is_over)) return;
  for (int left; (left = open_.load(std::memory_order_acquire)) != 0;) open_.wait(left);
}

}  // namespace weft
