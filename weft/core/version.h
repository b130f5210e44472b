// The version of this library, such as "0.1.0".
#ifndef WEFT_CORE_VERSION_H_
#define WEFT_CORE_VERSION_H_

#include <string_view>

namespace weft {

std::string_view version();

}  // namespace weft

#endif  // WEFT_CORE_VERSION_H_
