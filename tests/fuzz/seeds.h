// What fuzz targets have in common.
#ifndef WEFT_TESTS_FUZZ_SEEDS_H_
#define WEFT_TESTS_FUZZ_SEEDS_H_

#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

namespace weft::test {

inline void require(bool holds) {
  if (!holds) __builtin_trap();
}

// Writes seeds into the empty folders among the arguments of a target.
inline void add_seeds(std::span<char*> arguments, const std::vector<std::string>& seeds) {
  for (const char* argument : arguments.subspan(1)) {
    const std::filesystem::path folder = argument;
    if (!std::filesystem::is_directory(folder) || !std::filesystem::is_empty(folder)) continue;
    int number = 0;
    for (const std::string& seed : seeds) {
      std::ofstream(folder / std::to_string(number++), std::ios::binary) << seed;
    }
  }
}

}  // namespace weft::test

#endif  // WEFT_TESTS_FUZZ_SEEDS_H_
