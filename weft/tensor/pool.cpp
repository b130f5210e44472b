#include "weft/tensor/pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <new>
#include <vector>

#include "weft/core/error.h"

// Defined in builds with AddressSanitizer. Free blocks are poisoned, so that any access is
// reported. NOLINTBEGIN(readability-identifier-naming): names of AddressSanitizer
extern "C" {
[[gnu::weak]] void __asan_poison_memory_region(const volatile void* begin, size_t bytes);
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void* begin, size_t bytes);
}
// NOLINTEND(readability-identifier-naming)

namespace weft {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kClassesPerPower = 16;
constexpr size_t kMinSegment = size_t{1} << 20, kMaxSegment = size_t{1} << 26;
constexpr size_t kHugePage = size_t{1} << 21;

// The header of a block. The blocks of a segment are contiguous; the last one has no bytes and is
// never free.
struct alignas(kAlignment) Block {
  size_t bytes = 0;
  Block* before = nullptr;  // the preceding block of the segment
  bool is_free = false;
  Block *next = nullptr, *previous = nullptr;  // in the free list of its class

  std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }
  [[gnu::no_sanitize_address]] Block* after() { return reinterpret_cast<Block*>(data() + bytes); }
};

// Free lists by size class, which find a large enough block in constant time (two-level segregated
// fit, Masmano et al. 2004). Adjacent free blocks are merged.
class Pool {
 public:
  [[gnu::no_sanitize_address]] void* allocate(size_t bytes) {
    const size_t size = size_class(bytes);
    Block* block = take_free(size);
    if (block == nullptr) {
      add_segment(size, bytes);
      block = take_free(size);
    }
    split(block, size);
    statistics.live_bytes += size;
    statistics.peak_bytes = std::max(statistics.peak_bytes, statistics.live_bytes);
    if (__asan_unpoison_memory_region) __asan_unpoison_memory_region(block->data(), bytes);
    return block->data();
  }

  [[gnu::no_sanitize_address]] void free(void* data, size_t bytes) {
    Block* block = static_cast<Block*>(data) - 1;
    statistics.live_bytes -= size_class(bytes);
    if (__asan_poison_memory_region) __asan_poison_memory_region(data, block->bytes);
    if (Block* after = block->after(); after->is_free) {
      unlink(after);
      join(block, after);
    }
    if (Block* before = block->before; before != nullptr && before->is_free) {
      unlink(before);
      join(before, block);
      block = before;
    }
    link(block);
  }

  PoolStatistics statistics;
  std::mutex mutex;

 private:
  // The class of a free block: the largest class not larger than its size.
  static size_t class_of(size_t bytes) {
    const size_t lines = bytes / kAlignment;  // >= 1
    const auto power = static_cast<size_t>(std::bit_width(lines)) - 1;
    if (power < 4) return lines;
    return power * kClassesPerPower + (lines >> (power - 4)) - kClassesPerPower;
  }

  [[gnu::no_sanitize_address]] Block* take_free(size_t size) {
    size_t word = class_of(size) / 64;
    uint64_t bits = occupied_[word] & (~uint64_t{0} << class_of(size) % 64);
    while (bits == 0) {
      if (++word == occupied_.size()) return nullptr;
      bits = occupied_[word];
    }
    Block* block = free_[word * 64 + static_cast<size_t>(std::countr_zero(bits))];
    unlink(block);
    return block;
  }

  [[gnu::no_sanitize_address]] void link(Block* block) {
    const size_t index = class_of(block->bytes);
    block->is_free = true;
    block->previous = nullptr;
    block->next = free_[index];
    if (block->next != nullptr) block->next->previous = block;
    free_[index] = block;
    occupied_[index / 64] |= uint64_t{1} << index % 64;
  }

  [[gnu::no_sanitize_address]] void unlink(Block* block) {
    const size_t index = class_of(block->bytes);
    block->is_free = false;
    if (block->next != nullptr) block->next->previous = block->previous;
    (block->previous != nullptr ? block->previous->next : free_[index]) = block->next;
    if (free_[index] == nullptr) occupied_[index / 64] &= ~(uint64_t{1} << index % 64);
  }

  [[gnu::no_sanitize_address]] static void join(Block* block, Block* after) {
    block->bytes += sizeof(Block) + after->bytes;
    block->after()->before = block;
  }

  // Frees the bytes beyond `size` if they are enough for a block.
  [[gnu::no_sanitize_address]] void split(Block* block, size_t size) {
    if (block->bytes < size + sizeof(Block) + kAlignment) return;
    auto* rest = new (block->data() + size)
        Block{.bytes = block->bytes - size - sizeof(Block), .before = block};
    block->bytes = size;
    rest->after()->before = rest;
    link(rest);
  }

  [[gnu::no_sanitize_address]] void add_segment(size_t size, size_t requested) {
    const size_t usual = std::clamp(statistics.reserved_bytes / 4, kMinSegment, kMaxSegment);
    const size_t least = size + 2 * sizeof(Block);
    const size_t bytes = (std::max(least, usual) + kHugePage - 1) / kHugePage * kHugePage;
    void* memory = least < size ? nullptr : std::aligned_alloc(kHugePage, bytes);
    if (memory == nullptr) fail("memory", "cannot allocate {} bytes", requested);
    madvise(memory, bytes, MADV_HUGEPAGE);  // optional; a failure is harmless
    segments_.push_back(memory);
    statistics.reserved_bytes += bytes;
    ++statistics.system_allocations;
    auto* block = new (memory) Block{.bytes = bytes - 2 * sizeof(Block)};
    new (block->after()) Block{.before = block};
    link(block);
    if (__asan_poison_memory_region) __asan_poison_memory_region(memory, bytes);
  }

  std::vector<void*> segments_;  // keeps them reachable for leak checkers
  std::array<Block*, 1024> free_{};
  std::array<uint64_t, 16> occupied_{};  // one bit per class
};

// Never destroyed: tensors with static lifetime may be freed after main().
Pool& pool() {
  static Pool* const instance = new Pool;
  return *instance;
}

}  // namespace

size_t size_class(size_t bytes) {
  if (bytes <= kAlignment) return kAlignment;
  const size_t step = std::max(kAlignment, std::bit_floor(bytes) / kClassesPerPower);
  return (bytes + step - 1) / step * step;
}

void* pool_allocate(size_t bytes) {
  const std::lock_guard lock(pool().mutex);
  return pool().allocate(bytes);
}

void pool_free(void* block, size_t bytes) noexcept {
  const std::lock_guard lock(pool().mutex);
  pool().free(block, bytes);
}

PoolStatistics pool_statistics() {
  const std::lock_guard lock(pool().mutex);
  return pool().statistics;
}

void reset_pool_peak() {
  const std::lock_guard lock(pool().mutex);
  pool().statistics.peak_bytes = pool().statistics.live_bytes;
}

}  // namespace weft
