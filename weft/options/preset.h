// Named sets of options.
#ifndef WEFT_OPTIONS_PRESET_H_
#define WEFT_OPTIONS_PRESET_H_

#include <string_view>

namespace weft::options {

struct Preset {
  std::string_view name;
  std::string_view yaml;
};

}  // namespace weft::options

#endif  // WEFT_OPTIONS_PRESET_H_
