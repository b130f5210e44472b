// What the process takes of the machine's memory, as the system counts it, mapped files included.
#ifndef WEFT_CORE_PROCESS_MEMORY_H_
#define WEFT_CORE_PROCESS_MEMORY_H_

#include <cstdint>

namespace weft {

struct ProcessMemory {
  int64_t resident_bytes = 0;  // now
  int64_t peak_bytes = 0;      // the most so far
};

// Of this process; zeros where the system does not tell.
ProcessMemory process_memory();

}  // namespace weft

#endif  // WEFT_CORE_PROCESS_MEMORY_H_
