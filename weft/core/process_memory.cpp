#include "weft/core/process_memory.h"

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

}  // namespace weft
