// The memory use of this process, including mapped files, as reported by the system.
#ifndef WEFT_CORE_PROCESS_MEMORY_H_
#define WEFT_CORE_PROCESS_MEMORY_H_

#include <cstddef>
#include <cstdint>

namespace weft {

struct ProcessMemory {
  int64_t resident_bytes = 0;
  int64_t peak_bytes = 0;  // highest resident_bytes so far
};

// Zeros if the system does not report it.
ProcessMemory process_memory();

// Gives memory that was freed back to the system, for the peak of what is allocated next.
void return_freed_memory();

// Whether `bytes` more can be mapped now. Fails under an address space limit (ulimit -v); to be
// checked before calling libraries that crash when an allocation fails.
bool can_map(size_t bytes);

}  // namespace weft

#endif  // WEFT_CORE_PROCESS_MEMORY_H_
