// What the process takes of the machine's memory, as the system counts it, mapped files included.
#ifndef WEFT_CORE_PROCESS_MEMORY_H_
#define WEFT_CORE_PROCESS_MEMORY_H_

#include <cstddef>
#include <cstdint>

namespace weft {

struct ProcessMemory {
  int64_t resident_bytes = 0;  // now
  int64_t peak_bytes = 0;      // the most so far
};

// Of this process; zeros where the system does not tell.
ProcessMemory process_memory();

// Whether the system would let this process map `bytes` more now. For libraries that crash where an
// allocation fails: a limit on address space (ulimit -v) is what makes it fail.
bool can_map(size_t bytes);

}  // namespace weft

#endif  // WEFT_CORE_PROCESS_MEMORY_H_
