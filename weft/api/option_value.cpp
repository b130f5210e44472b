#include <charconv>

#include "weft/options.h"

namespace weft {

OptionValue::OptionValue(double value) {
  char text[32];
  const auto end = std::to_chars(std::begin(text), std::end(text), value).ptr;
  texts_.emplace_back(std::begin(text), end);
}

}  // namespace weft
