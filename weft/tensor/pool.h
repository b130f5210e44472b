// Memory of tensors: taken from the system in large segments and kept, so that the steady state of
// training and decoding neither allocates nor frees. Blocks are 64-byte aligned; those that come
// back serve requests of any size.
#ifndef WEFT_TENSOR_POOL_H_
#define WEFT_TENSOR_POOL_H_

#include <cstddef>
#include <cstdint>

namespace weft {

// The bytes a request is rounded up to: 16 classes to each power of two, at least 64 bytes.
size_t size_class(size_t bytes);

struct PoolStatistics {
  size_t live_bytes = 0;      // in use by tensors
  size_t peak_bytes = 0;      // the most that ever were
  size_t reserved_bytes = 0;  // held from the system
  uint64_t system_allocations = 0;
};

// Thread-safe. Throws Error, naming the size, where the system has no memory; the contents are
// undefined.
void* pool_allocate(size_t bytes);
// Thread-safe. `bytes` is what was asked for.
void pool_free(void* block, size_t bytes) noexcept;
PoolStatistics pool_statistics();
void reset_pool_peak();

}  // namespace weft

#endif  // WEFT_TENSOR_POOL_H_
