// Text that ends a hypothesis.
#ifndef WEFT_DECODE_SEARCH_STOP_STRINGS_H_
#define WEFT_DECODE_SEARCH_STOP_STRINGS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace weft::decode {

// A hypothesis ends as soon as its text holds one of the strings, across tokens too.
struct StopStrings {
  std::vector<std::string> strings = {};  // none of them empty
  // The text of a target's tokens, as its tokeniser has it; required where there are strings.
  std::function<std::string(std::span<const int32_t> tokens)> detokenise = {};

  // Where the first of them begins in the text of these tokens, in bytes.
  std::optional<int64_t> find(std::span<const int32_t> tokens) const;
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_STOP_STRINGS_H_
