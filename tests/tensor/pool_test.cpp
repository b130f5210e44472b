#include "weft/tensor/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include "weft/core/error.h"
#include "weft/core/random.h"
#include "weft/tensor/tensor.h"

// An impossible request must return null under AddressSanitizer too.
extern "C" [[gnu::visibility("default")]] const char* __asan_default_options() {
  return "allocator_may_return_null=1";
}

namespace weft {
namespace {

TEST(SizeClass, RoundsUpByAtMostASixteenth) {
  size_t before = 0;
  for (size_t bytes = 0; bytes < 70000; bytes += bytes < 3000 ? 1 : 37) {
    const size_t size = size_class(bytes);
    EXPECT_GE(size, bytes);
    EXPECT_LE(size, bytes + std::max<size_t>(64, bytes / 16));
    EXPECT_EQ(size % 64, 0u);
    EXPECT_EQ(size_class(size), size);
    EXPECT_GE(size, before);
    before = size;
  }
}

TEST(SizeClass, HasSixteenClassesPerPowerOfTwo) {
  EXPECT_EQ(size_class(0), 64u);
  EXPECT_EQ(size_class(64), 64u);
  EXPECT_EQ(size_class(65), 128u);
  std::set<size_t> classes;
  for (size_t bytes = 4096; bytes < 8192; ++bytes) classes.insert(size_class(bytes + 1));
  EXPECT_EQ(classes.size(), 16u);
}

TEST(Pool, AlignsItsBlocks) {
  for (const size_t bytes : {1, 64, 65, 1000, 4097, 100000}) {
    void* block = pool_allocate(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0u) << bytes;
    std::memset(block, 1, bytes);
    pool_free(block, bytes);
  }
}

TEST(Pool, ReusesFreedBlocks) {
  void* first = pool_allocate(5000);
  pool_free(first, 5000);
  const uint64_t allocations = pool_statistics().system_allocations;
  void* second = pool_allocate(4000);
  EXPECT_EQ(second, first);
  EXPECT_EQ(pool_statistics().system_allocations, allocations);
  pool_free(second, 4000);
}

// Freed blocks of any sizes are merged and reused: reserved memory stays near live memory.
TEST(Pool, MergesFreedBlocks) {
  const auto fill = [](size_t bytes, int count) {
    std::vector<void*> blocks;
    for (int i = 0; i < count; ++i) blocks.push_back(pool_allocate(bytes));
    for (int i = 0; i < count; i += 2) pool_free(blocks[i], bytes);
    for (int i = 1; i < count; i += 2) pool_free(blocks[i], bytes);
  };
  fill(1000, 30000);
  const PoolStatistics before = pool_statistics();
  for (const size_t bytes : {3000, 17000, 240000}) {
    fill(bytes, static_cast<int>(25000000 / bytes));
  }
  EXPECT_EQ(pool_statistics().reserved_bytes, before.reserved_bytes);
  EXPECT_EQ(pool_statistics().live_bytes, before.live_bytes);
}

TEST(Pool, DoesNotOverwriteLiveBlocks) {
  RandomStream random(7, 0);
  struct Held {
    unsigned char* data;
    size_t bytes;
    unsigned char mark;
  };
  std::vector<Held> held;
  const auto check = [](const Held& h) {
    return std::all_of(h.data, h.data + h.bytes, [&](unsigned char x) { return x == h.mark; });
  };
  for (int i = 0; i < 20000; ++i) {
    if (held.size() > 50 || (!held.empty() && random.below(3) == 0)) {
      const size_t index = random.below(held.size());
      ASSERT_TRUE(check(held[index])) << i;
      pool_free(held[index].data, held[index].bytes);
      held.erase(held.begin() + static_cast<std::ptrdiff_t>(index));
    } else {
      const size_t bytes = 1 + random.below(size_t{1} << (1 + random.below(15)));
      const auto mark = static_cast<unsigned char>(random.below(256));
      held.push_back({static_cast<unsigned char*>(pool_allocate(bytes)), bytes, mark});
      std::memset(held.back().data, mark, bytes);
    }
  }
  for (const Held& h : held) {
    EXPECT_TRUE(check(h));
    pool_free(h.data, h.bytes);
  }
}

TEST(Pool, CountsLiveAndPeakBytes) {
  const PoolStatistics before = pool_statistics();
  reset_pool_peak();
  EXPECT_EQ(pool_statistics().peak_bytes, before.live_bytes);
  const size_t size = size_class(123456);
  void* a = pool_allocate(123456);
  void* b = pool_allocate(123456);
  EXPECT_EQ(pool_statistics().live_bytes, before.live_bytes + 2 * size);
  pool_free(a, 123456);
  EXPECT_EQ(pool_statistics().live_bytes, before.live_bytes + size);
  EXPECT_EQ(pool_statistics().peak_bytes, before.live_bytes + 2 * size);
  pool_free(b, 123456);
  EXPECT_EQ(pool_statistics().live_bytes, before.live_bytes);
  EXPECT_GE(pool_statistics().reserved_bytes, 2 * size);
}

TEST(Pool, NamesTheSizeItCannotAllocate) {
  const PoolStatistics before = pool_statistics();
  EXPECT_THAT([] { pool_allocate(size_t{1} << 60); },
              testing::ThrowsMessage<Error>("memory: cannot allocate 1152921504606846976 bytes"));
  EXPECT_EQ(pool_statistics().live_bytes, before.live_bytes);
  EXPECT_EQ(pool_statistics().reserved_bytes, before.reserved_bytes);
}

TEST(Pool, AllocatesNothingInASecondIdenticalRound) {
  const auto round = [] {
    std::vector<Tensor> kept;
    for (int64_t n = 1; n < 40; ++n) {
      kept.push_back(Tensor::zeros({n, 3 * n}));
      kept.push_back(kept.back().to(DType::kF64));
      if (n % 3 == 0) kept.erase(kept.begin());
    }
  };
  round();
  const PoolStatistics before = pool_statistics();
  round();
  EXPECT_EQ(pool_statistics().system_allocations, before.system_allocations);
  EXPECT_EQ(pool_statistics().live_bytes, before.live_bytes);
}

TEST(Pool, ServesSeveralThreads) {
  const size_t live = pool_statistics().live_bytes;
  std::vector<std::thread> threads;
  for (unsigned char mark = 1; mark <= 4; ++mark) {
    threads.emplace_back([mark] {
      for (int i = 0; i < 2000; ++i) {
        auto* block = static_cast<unsigned char*>(pool_allocate(300));
        std::memset(block, mark, 300);
        EXPECT_EQ(block[150], mark);
        pool_free(block, 300);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(pool_statistics().live_bytes, live);
}

}  // namespace
}  // namespace weft
