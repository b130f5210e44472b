// Frequencies of rotary positions without scaling.
#ifndef WEFT_TESTS_SUPPORT_ROTARY_H_
#define WEFT_TESTS_SUPPORT_ROTARY_H_

#include <memory>

#include "weft/ops/rotary.h"

namespace weft::test {

inline ops::RotaryFrequenciesPtr rotary_frequencies(double base, int64_t half) {
  return std::make_shared<const ops::RotaryFrequencies>(ops::rotary_frequencies(base, half));
}

}  // namespace weft::test

#endif  // WEFT_TESTS_SUPPORT_ROTARY_H_
