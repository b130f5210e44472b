// One line of input.
#ifndef WEFT_LINE_H_
#define WEFT_LINE_H_

#include <optional>
#include <string>

#include "weft/report.h"

namespace weft {

// A line of input: a text, or the path of a file.
struct Line {
  std::string text;                 // without its line break
  std::optional<Fault> fault = {};  // why it cannot be used, whatever the model
};

}  // namespace weft

#endif  // WEFT_LINE_H_
