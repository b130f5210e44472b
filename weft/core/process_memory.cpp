#include "weft/core/process_memory.h"

#include <malloc.h>
#include <sys/mman.h>

#include <fstream>
#include <string>

namespace weft {

ProcessMemory process_memory() {
  ProcessMemory out;
  std::ifstream status("/proc/self/status");
  constexpr int64_t kUnit = 1024;
  for (std::string name; status >> name;) {
    int64_t amount = 0;
    if (name == "VmHWM:" && status >> amount) out.peak_bytes = amount * kUnit;
    if (name == "VmRSS:" && status >> amount) out.resident_bytes = amount * kUnit;
  }
  return out;
}

void return_freed_memory() { malloc_trim(0); }

bool can_map(size_t bytes) {
  void* const memory =
      mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  munmap(memory, bytes);
  return true;
}

}  // namespace weft
