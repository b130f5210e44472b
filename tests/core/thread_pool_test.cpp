#include "weft/core/thread_pool.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <chrono>
#include <ctime>
#include <thread>
#include <vector>

namespace weft {
namespace {

using std::chrono::steady_clock;

// Pools are never destroyed, since their threads are detached.
ThreadPool& new_pool() {
  static auto& pools = *new std::vector<ThreadPool*>;  // so that LeakSanitizer finds them
  return *pools.emplace_back(new ThreadPool);
}

template <class Body>
void run(ThreadPool& pool, int64_t ranges, int threads, Body& body) {
  pool.run({[](void* state, int64_t begin, int64_t) { (*static_cast<Body*>(state))(begin); }, &body,
            ranges, 1},
           threads);
}

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

TEST(ThreadPool, RunsEveryRangeOnceCallAfterCall) {
  ThreadPool& pool = new_pool();
  for (int call = 0; call < 2000; ++call) {
    const int threads = 1 + call % 5;
    const int64_t ranges = 1 + call % 17;
    std::vector<std::atomic<int>> visits(static_cast<size_t>(ranges));
    auto body = [&](int64_t i) { ++visits[static_cast<size_t>(i)]; };
    run(pool, ranges, threads, body);
    for (const auto& v : visits) ASSERT_EQ(v, 1) << "call " << call;
  }
}

TEST(ThreadPool, StealsTheRangesOfABlockedThread) {
  constexpr int64_t kRanges = 8;
  ThreadPool& pool = new_pool();
  for (const int64_t held : {int64_t{0}, kRanges / 2}) {  // the first of either thread
    std::atomic<int64_t> done{0};
    bool others_came_through = false;
    auto body = [&](int64_t i) {
      const auto end = steady_clock::now() + std::chrono::seconds(60);
      while (i == held && done < kRanges - 1 && steady_clock::now() < end) {
        std::this_thread::yield();
      }
      if (i == held) others_came_through = done == kRanges - 1;
      ++done;
    };
    run(pool, kRanges, 2, body);
    EXPECT_TRUE(others_came_through) << "range " << held;
  }
}

TEST(ThreadPool, DoesAllWorkIfNoThreadsCanBeCreated) {
  pthread_attr_t before, huge;
  ASSERT_EQ(pthread_getattr_default_np(&before), 0);
  ASSERT_EQ(pthread_attr_init(&huge), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&huge, size_t{1} << 46), 0);  // no thread can have that
  ASSERT_EQ(pthread_setattr_default_np(&huge), 0);
  int64_t visits = 0;  // not atomic: one thread
  auto body = [&](int64_t) { ++visits; };
  ThreadPool& pool = new_pool();
  run(pool, 100, 4, body);
  EXPECT_EQ(pthread_setattr_default_np(&before), 0);
  EXPECT_EQ(visits, 100);
  pthread_attr_destroy(&huge);
  pthread_attr_destroy(&before);
}

TEST(ThreadPool, UsesNoProcessorTimeBetweenCalls) {
  ThreadPool& pool = new_pool();
  std::atomic<int64_t> visits{0};
  auto body = [&](int64_t) { ++visits; };
  run(pool, 100, 4, body);
  const double before = processor_seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_LT(processor_seconds() - before, 0.05);
  run(pool, 100, 4, body);  // and wakes up again
  EXPECT_EQ(visits, 200);
}

}  // namespace
}  // namespace weft
