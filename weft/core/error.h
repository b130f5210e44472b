// How errors are thrown: every failure of the library is an exception of weft/error.h, built by
// fail<Kind>().
#ifndef WEFT_CORE_ERROR_H_
#define WEFT_CORE_ERROR_H_

#include <initializer_list>
#include <string>
#include <string_view>

#include "weft/core/message.h"
#include "weft/error.h"

namespace weft {

// fail() with its values in one list, for the kinds above.
template <class Kind>
[[noreturn]] void throw_error(std::string_view where, std::string_view text,
                              std::initializer_list<MessageValue> values);

// Throws the kind of error: fail<ShapeError>("softmax", "axis {} out of range for {}", axis, name).
template <class Kind = Error, class... Values>
[[noreturn]] void fail(std::string_view where, MessageText<sizeof...(Values)> text,
                       const Values&... values) {
  throw_error<Kind>(where, text, {MessageValue(values)...});
}

// Throws OptionError about `option` with this message unless `condition` is true.
inline void require_option(bool condition, std::string_view option, std::string_view message) {
  if (!condition) fail<OptionError>(option, "{}", message);
}

// User text for a one-line message: in single quotes, control characters escaped, truncated to 60
// bytes.
std::string quote(std::string_view text);

}  // namespace weft

#endif  // WEFT_CORE_ERROR_H_
