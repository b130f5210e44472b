// Named sets of options.
#ifndef WEFT_FORMATS_PRESET_H_
#define WEFT_FORMATS_PRESET_H_

#include <string_view>

namespace weft::formats {

struct Preset {
  std::string_view name;
  std::string_view yaml;
};

}  // namespace weft::formats

#endif  // WEFT_FORMATS_PRESET_H_
