// What the fuzz targets of tokenisers have in common.
#ifndef WEFT_TESTS_FUZZ_TOKENISERS_H_
#define WEFT_TESTS_FUZZ_TOKENISERS_H_

#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/core/text/utf8.h"
#include "weft/data/subwords/subword_tokeniser.h"

namespace weft::test {

inline void require(bool holds) {
  if (!holds) __builtin_trap();
}

inline void use(const data::SubwordTokeniser& tokeniser) {
  for (const char* text :
       {"", "ab ba", "a1\xC3\xA9 e\xCC\x81\xE2\x91\xA0.", "<s>a\xFF\n\xF0\x9F\xA6\x99"}) {
    const std::string_view view = text;
    const data::Encoding found =
        tokeniser.encode(view, {.parse_special = true, .add_special = true});
    for (const data::ByteRange& span : found.spans) {
      require(span.begin <= span.end && span.end <= view.size());
    }
    require(valid_utf8(tokeniser.decode(found.ids, true)));
    for (const int32_t id : tokeniser.encode(view)) {
      require(!tokeniser.is_special(id) || id == tokeniser.unknown_id());
    }
  }
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

#endif  // WEFT_TESTS_FUZZ_TOKENISERS_H_
