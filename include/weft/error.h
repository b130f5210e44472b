// Errors: all failures of the library are exceptions of these types.
#ifndef WEFT_ERROR_H_
#define WEFT_ERROR_H_

#include <stdexcept>

#include "weft/export.h"

namespace weft {

// what() reads `where: what is wrong; expected X, got Y`, optionally followed by `; hint: ...`.
class WEFT_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Incompatible shapes or dtypes.
class WEFT_API ShapeError : public Error {
 public:
  using Error::Error;
};

// An option, argument or value that is unknown, out of range or contradicts another. The program
// exits with status 2.
class WEFT_API OptionError : public Error {
 public:
  using Error::Error;
};

// A file that cannot be opened, read, written, locked or renamed.
class WEFT_API FileError : public Error {
 public:
  using Error::Error;
};

// A file or line whose content does not match its format.
class WEFT_API FormatError : public Error {
 public:
  using Error::Error;
};

// A value that is infinite or NaN, or numbers that differ by more than they may.
class WEFT_API NumericError : public Error {
 public:
  using Error::Error;
};

}  // namespace weft

#endif  // WEFT_ERROR_H_
