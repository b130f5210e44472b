#include "weft/tensor/pool.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "weft/core/error.h"

namespace weft {
namespace {

constexpr size_t kAlignment = 64;

struct Pool {
  std::mutex mutex;
  std::unordered_map<size_t, std::vector<void*>> free_blocks;  // by size class
  PoolStatistics statistics;
};

// Never destroyed: tensors with static lifetime may come back after main.
Pool& pool() {
  static Pool* const instance = new Pool;
  return *instance;
}

}  // namespace

size_t size_class(size_t bytes) {
  if (bytes <= kAlignment) return kAlignment;
  const size_t step = std::max(kAlignment, std::bit_floor(bytes) / 16);
  return (bytes + step - 1) / step * step;
}

void* pool_allocate(size_t bytes) {
  const size_t size = size_class(bytes);
  Pool& p = pool();
  const std::lock_guard lock(p.mutex);
  std::vector<void*>& blocks = p.free_blocks[size];
  void* block = nullptr;
  if (!blocks.empty()) {
    block = blocks.back();
    blocks.pop_back();
  } else {
    block = std::aligned_alloc(kAlignment, size);
    if (block == nullptr) fail("memory", "cannot allocate {} bytes", size);
    p.statistics.reserved_bytes += size;
    ++p.statistics.system_allocations;
  }
  p.statistics.live_bytes += size;
  p.statistics.peak_bytes = std::max(p.statistics.peak_bytes, p.statistics.live_bytes);
  return block;
}

void pool_free(void* block, size_t bytes) noexcept {
  const size_t size = size_class(bytes);
  Pool& p = pool();
  const std::lock_guard lock(p.mutex);
  p.free_blocks[size].push_back(block);
  p.statistics.live_bytes -= size;
}

PoolStatistics pool_statistics() {
  Pool& p = pool();
  const std::lock_guard lock(p.mutex);
  return p.statistics;
}

void reset_pool_peak() {
  Pool& p = pool();
  const std::lock_guard lock(p.mutex);
  p.statistics.peak_bytes = p.statistics.live_bytes;
}

}  // namespace weft
