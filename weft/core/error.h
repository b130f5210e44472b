// Typed errors: every failure of the library is one of these exceptions, built by fail<Kind>().
#ifndef WEFT_CORE_ERROR_H_
#define WEFT_CORE_ERROR_H_

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace weft {

// what() reads `where: what is wrong; expected X, got Y`, then `; hint: ...` where one is known.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Shapes or dtypes that do not fit together.
class ShapeError : public Error {
 public:
  using Error::Error;
};

// An option, argument or value out of its range, unknown, or contradicting another: the program
// turns it into exit status 2.
class OptionError : public Error {
 public:
  using Error::Error;
};

// A file that cannot be opened, read, written, locked or renamed.
class FileError : public Error {
 public:
  using Error::Error;
};

// A file or line whose content is not what its format asks for.
class FormatError : public Error {
 public:
  using Error::Error;
};

// Numbers that left the finite range.
class NumericError : public Error {
 public:
  using Error::Error;
};

template <class Kind = Error, class... Args>
[[noreturn]] void fail(std::string_view where, fmt::format_string<Args...> what, Args&&... args) {
  throw Kind(fmt::format("{}: {}", where, fmt::format(what, std::forward<Args>(args)...)));
}

// Throws OptionError for `option`, with `what` is wrong and was expected, unless `holds`.
inline void require_option(bool holds, std::string_view option, std::string_view what) {
  if (!holds) fail<OptionError>(option, "{}", what);
}

// Text from outside, fit for a one-line message: 'in quotes', control characters escaped, and
// clipped after 60 bytes.
std::string quote(std::string_view text);

}  // namespace weft

#endif  // WEFT_CORE_ERROR_H_
