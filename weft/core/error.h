// Typed errors: every failure of the library is one of these exceptions, built by fail<Kind>().
#ifndef WEFT_CORE_ERROR_H_
#define WEFT_CORE_ERROR_H_

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

#include "weft/core/message.h"

namespace weft {

// what() reads `where: what is wrong; expected X, got Y`, optionally followed by `; hint: ...`.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Incompatible shapes or dtypes.
class ShapeError : public Error {
 public:
  using Error::Error;
};

// An option, argument or value that is unknown, out of range or contradicts another. The program
// exits with status 2.
class OptionError : public Error {
 public:
  using Error::Error;
};

// A file that cannot be opened, read, written, locked or renamed.
class FileError : public Error {
 public:
  using Error::Error;
};

// A file or line whose content does not match its format.
class FormatError : public Error {
 public:
  using Error::Error;
};

// A value that is infinite or NaN.
class NumericError : public Error {
 public:
  using Error::Error;
};

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
