// Fuzzes the reader of lines of pairs of views (libFuzzer):
//
//   cmake --preset fuzz && cmake --build --preset fuzz
//   build/fuzz/tests/weft_view_pair_fuzz -max_len=512 -max_total_time=600 corpus
//
// `corpus` is a folder for what it finds.
#include <cmath>
#include <cstdint>
#include <string_view>

#include "weft/core/error.h"
#include "weft/data/views/pair_list.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  try {
    const weft::data::ListedPair pair = weft::data::parse_pair(line, "pairs.tsv:1");
    if (pair.first.empty() || pair.second.empty()) __builtin_trap();
    for (const float number : pair.numbers) {
      if (!std::isfinite(number)) __builtin_trap();
    }
  } catch (const weft::FormatError&) {  // the one kind that bytes may lead to
  }
  return 0;
}
