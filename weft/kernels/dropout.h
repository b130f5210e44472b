// Dropout with a recomputed mask.
#ifndef WEFT_KERNELS_DROPOUT_H_
#define WEFT_KERNELS_DROPOUT_H_

#include "weft/core/random.h"
#include "weft/kernels/cost.h"

namespace weft::kernels {

// Inverted dropout. The mask is a pure function of the element's sequence, position and feature
// (Philox4x32-10) and is never stored. Feature f of row n is dropped if its 16-bit draw is below
// `threshold`. With
//   block = 16 * (f / 128) + f % 16,   j = (f / 16) % 8,
//   words = philox({stream, sequence[n], position[n], block}, key),
// the draw is the low (j even) or high (j odd) half of words[j / 2].
struct DropoutMask {
  uint32_t threshold = 0;  // 0: no dropout
  uint32_t stream = 0;     // identifies layer, use and pass over the same update
  PhiloxKey key = {};
  const int32_t* sequence = nullptr;  // [N], the sequence's index in the global update
  const int32_t* position = nullptr;  // [N], the row's position in its sequence

  explicit operator bool() const { return threshold != 0; }
  double factor() const { return 65536.0 / (65536 - threshold); }  // of kept elements
  // 0 if feature f of row n is dropped, else factor().
  double factor_at(int64_t n, int64_t f) const {
    if (threshold == 0) return 1;
    const auto block = static_cast<uint32_t>(16 * (f / 128) + f % 16);
    const int64_t j = (f / 16) % 8;
    const auto words = philox(
        {stream, static_cast<uint32_t>(sequence[n]), static_cast<uint32_t>(position[n]), block},
        key);
    const uint32_t draw = j % 2 == 0 ? words[j / 2] & 0xFFFFu : words[j / 2] >> 16;
    return draw < threshold ? 0 : factor();
  }
};

// Sets dropped elements to 0 and multiplies the others by mask.factor(); copies if the mask is
// empty. Backward is the same operation on gradients.
struct Dropout {
  DropoutMask mask;
  View x, y;
  static constexpr std::string_view kName = "dropout";
  Cost cost() const { return {0, bytes_of({x, y})}; }
};

namespace ref {
void run(const Dropout&);
}
namespace cpu {
void run(const Dropout&);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_DROPOUT_H_
