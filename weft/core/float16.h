// Half-precision numbers (IEEE 754 binary16): in files only, never in computation.
#ifndef WEFT_CORE_FLOAT16_H_
#define WEFT_CORE_FLOAT16_H_

#include <cstdint>

namespace weft {

float float_of_half(uint16_t bits);

// Rounds to nearest, ties to even; what is too large becomes infinite, and a NaN stays a NaN.
uint16_t half_of_float(float x);

}  // namespace weft

#endif  // WEFT_CORE_FLOAT16_H_
