// Text that is passed on while it is made.
#ifndef WEFT_STREAM_H_
#define WEFT_STREAM_H_

#include <functional>
#include <string_view>

namespace weft {

// Receives text as soon as it is decided; returns false to end it there.
using OnText = std::function<bool(std::string_view)>;

}  // namespace weft

#endif  // WEFT_STREAM_H_
