#ifndef WEFT_TESTS_INSPECT_EXAMPLE_H_
#define WEFT_TESTS_INSPECT_EXAMPLE_H_

#include <string>
#include <vector>

#include "weft/inspect/inspection.h"

namespace weft::inspect {

inline std::vector<std::string> tokens_of_axis(const Example& example, size_t axis) {
  return std::get<TokenAxis>(example.axes[axis].kind).tokens;
}

}  // namespace weft::inspect

#endif  // WEFT_TESTS_INSPECT_EXAMPLE_H_
