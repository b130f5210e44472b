#include "weft/tensor/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include "weft/core/error.h"
#include "weft/tensor/tensor.h"

// An impossible request has to come back as null under AddressSanitizer too.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }

namespace weft {
namespace {

TEST(SizeClass, HoldsTheRequestAtASixteenthMoreAtMost) {
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

TEST(SizeClass, HasSixteenOfThemToAPowerOfTwo) {
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
    std::memset(block, 1, size_class(bytes));
    pool_free(block, bytes);
  }
}

TEST(Pool, HandsOutWhatCameBack) {
  void* first = pool_allocate(5000);
  pool_free(first, 5000);
  const uint64_t allocations = pool_statistics().system_allocations;
  void* second = pool_allocate(5001);  // the same class
  EXPECT_EQ(second, first);
  EXPECT_EQ(pool_statistics().system_allocations, allocations);
  pool_free(second, 5001);
}

TEST(Pool, CountsWhatIsLiveAndWhatWasAtMost) {
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

TEST(Pool, GivesTensorsNothingNewInASecondIdenticalRound) {
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
