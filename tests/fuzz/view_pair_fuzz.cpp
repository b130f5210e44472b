// Fuzzes the reader of lines of pairs of views (libFuzzer):
//
//   cmake --preset fuzz && cmake --build --preset fuzz
//   mkdir corpus && build/fuzz/tests/weft_view_pair_fuzz -max_len=512 -max_total_time=600 corpus
//
// An empty folder `corpus` is first filled with seeds.
#include <cmath>
#include <cstdint>
#include <string_view>

#include "tests/fuzz/seeds.h"
#include "weft/core/error.h"
#include "weft/data/views/pair_list.h"

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  weft::test::add_seeds({*argv, static_cast<size_t>(*argc)},
                        {"a/left.png\ta/right.png", "/a.png\tb.jpg\t1.5\t-2e-3\t0",
                         "0.png\t1.png\t1e38", "one path", "a\tb\tnan"});
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  try {
    const weft::data::ListedPair pair = weft::data::parse_pair(line, "pairs.tsv:1");
    weft::test::require(!pair.first.empty() && !pair.second.empty());
    for (const float number : pair.numbers) {
      weft::test::require(std::isfinite(number));
    }
  } catch (const weft::FormatError&) {  // the one kind that bytes may lead to
  }
  return 0;
}
