// bfloat16: the upper half of a float. Storage only; arithmetic is done in float.
#ifndef WEFT_CORE_BF16_H_
#define WEFT_CORE_BF16_H_

#include <bit>
#include <cstdint>

namespace weft {

struct BF16 {
  uint16_t bits = 0;

  BF16() = default;
  // Rounds to nearest, ties to even; a NaN stays a NaN.
  explicit BF16(float x) {
    const uint32_t u = std::bit_cast<uint32_t>(x);
    bits = x == x ? static_cast<uint16_t>((u + 0x7FFFu + ((u >> 16) & 1u)) >> 16)
                  : static_cast<uint16_t>((u >> 16) | 0x40u);
  }
  explicit operator float() const { return std::bit_cast<float>(uint32_t{bits} << 16); }
};

}  // namespace weft

#endif  // WEFT_CORE_BF16_H_
