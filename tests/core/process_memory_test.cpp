#include "weft/core/process_memory.h"

#include <gtest/gtest.h>

#include <vector>

namespace weft {
namespace {

TEST(ProcessMemory, GrowsWithWhatIsWrittenToAndKeepsItsPeak) {
  constexpr int64_t kBytes = 64 << 20;
  const ProcessMemory before = process_memory();
  EXPECT_GT(before.resident_bytes, 0);
  {
    const std::vector<char> block(kBytes, 1);
    EXPECT_GT(process_memory().resident_bytes + block[kBytes / 2],
              before.resident_bytes + kBytes / 2);
  }
  const ProcessMemory after = process_memory();
  EXPECT_GT(after.peak_bytes, before.resident_bytes + kBytes / 2);
  EXPECT_GE(after.peak_bytes, after.resident_bytes);
}

}  // namespace
}  // namespace weft
