// Values prepared ahead on a thread of their own.
#ifndef WEFT_DATA_PREFETCH_H_
#define WEFT_DATA_PREFETCH_H_

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "weft/core/error.h"

namespace weft::data {

// Calls `produce` on its own thread, always the same one, and hands out what it returns in order,
// at most `depth` values ahead. An empty optional ends the values; an exception of `produce` ends
// them too and is thrown by next() in its place. The destructor waits for a call in progress.
// Throws Error where the system gives no thread.
template <class T>
class Prefetch {
 public:
  explicit Prefetch(std::function<std::optional<T>()> produce, size_t depth = 8)
      : produce_(std::move(produce)), depth_(std::max<size_t>(1, depth)), thread_(start()) {}
  ~Prefetch() {
    {
      const std::lock_guard lock(mutex_);
      is_stopped_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Prefetch(const Prefetch&) = delete;
  Prefetch& operator=(const Prefetch&) = delete;

  // The next value, waiting for it; nothing after the last one.
  std::optional<T> next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !ready_.empty() || is_done_; });
    if (ready_.empty()) {
      if (error_) std::rethrow_exception(error_);
      return std::nullopt;
    }
    std::optional<T> value(std::move(ready_.front()));
    ready_.pop_front();
    lock.unlock();
    changed_.notify_all();
    return value;
  }

 private:
  std::thread start() try {
    return std::thread([this] { run(); });
  } catch (const std::system_error& error) {
    fail<Error>("memory", "no thread to read ahead on: {}", error.what());
  }

  void run() {
    std::exception_ptr error;
    try {
      while (wait_while_full()) {
        std::optional<T> value = produce_();
        if (!value) break;
        const std::lock_guard lock(mutex_);
        ready_.push_back(std::move(*value));
        changed_.notify_all();
      }
    } catch (...) {
      error = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex_);
      error_ = std::move(error);
      is_done_ = true;
    }
    changed_.notify_all();
  }

  bool wait_while_full() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ready_.size() < depth_ || is_stopped_; });
    return !is_stopped_;
  }

  std::function<std::optional<T>()> produce_;
  size_t depth_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<T> ready_;
  std::exception_ptr error_;
  bool is_stopped_ = false;
  bool is_done_ = false;
  std::thread thread_;  // last: it starts when all else is there
};

}  // namespace weft::data

#endif  // WEFT_DATA_PREFETCH_H_
