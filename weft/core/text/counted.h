// Numbers of things in messages.
#ifndef WEFT_CORE_TEXT_COUNTED_H_
#define WEFT_CORE_TEXT_COUNTED_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

// "1 line", "2 lines"
inline std::string counted(int64_t count, std::string_view noun) {
  return std::to_string(count) + ' ' + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace weft

#endif  // WEFT_CORE_TEXT_COUNTED_H_
