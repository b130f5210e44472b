// Angles of rotary positions without scaling.
#ifndef WEFT_TESTS_SUPPORT_ROTARY_H_
#define WEFT_TESTS_SUPPORT_ROTARY_H_

#include <vector>

#include "weft/ops/rotary.h"

namespace weft::test {

// Of rows on a line.
inline ops::RotaryAnglesPtr rotary_angles(const std::vector<int32_t>& position, double base,
                                          int64_t half) {
  return ops::rotary_angles(position, 1, ops::rotary_frequencies(base, half));
}

}  // namespace weft::test

#endif  // WEFT_TESTS_SUPPORT_ROTARY_H_
