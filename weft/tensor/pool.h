// The memory pool of tensors. It allocates large segments from the system and keeps them, so that
// training and decoding make no system allocations in the steady state. Blocks are 64-byte aligned.
// Freed blocks are reused for requests of any size.
#ifndef WEFT_TENSOR_POOL_H_
#define WEFT_TENSOR_POOL_H_

#include <cstddef>
#include <cstdint>

namespace weft {

// The size that a request is rounded up to: 16 classes per power of two, at least 64 bytes.
size_t size_class(size_t bytes);

struct PoolStatistics {
  size_t live_bytes = 0;      // in use by tensors
  size_t peak_bytes = 0;      // highest live_bytes so far
  size_t reserved_bytes = 0;  // allocated from the system
  uint64_t system_allocations = 0;
};

// Returns uninitialised memory. Thread-safe. Throws Error, naming the size, if the system is out of
// memory.
void* pool_allocate(size_t bytes);
// Thread-safe. `bytes` is the requested size.
void pool_free(void* block, size_t bytes) noexcept;
PoolStatistics pool_statistics();
void reset_pool_peak();

}  // namespace weft

#endif  // WEFT_TENSOR_POOL_H_
