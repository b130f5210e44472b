// Counter-based randomness: Philox4x32-10 (Salmon et al. 2011, "Parallel random numbers: as easy as
// 1, 2, 3"). A number is a pure function of key and counter, so no random state is stored.
#ifndef WEFT_CORE_RANDOM_H_
#define WEFT_CORE_RANDOM_H_

#include <array>
#include <cmath>
#include <cstdint>

namespace weft {

using PhiloxCounter = std::array<uint32_t, 4>;
using PhiloxKey = std::array<uint32_t, 2>;

inline constexpr uint32_t kPhiloxMultiplier0 = 0xD2511F53u;
inline constexpr uint32_t kPhiloxMultiplier1 = 0xCD9E8D57u;
inline constexpr uint32_t kPhiloxWeyl0 = 0x9E3779B9u;
inline constexpr uint32_t kPhiloxWeyl1 = 0xBB67AE85u;

inline PhiloxCounter philox(PhiloxCounter c, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{kPhiloxMultiplier0} * c[0];
    const uint64_t p1 = uint64_t{kPhiloxMultiplier1} * c[2];
    c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ key[0], static_cast<uint32_t>(p1),
         static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ key[1], static_cast<uint32_t>(p0)};
    key[0] += kPhiloxWeyl0;
    key[1] += kPhiloxWeyl1;
  }
  return c;
}

// A sequential stream over one Philox key, for initialisation, shuffling and sampling.
class RandomStream {
 public:
  RandomStream(uint64_t seed, uint64_t stream)
      : key_{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)},
        stream_{static_cast<uint32_t>(stream), static_cast<uint32_t>(stream >> 32)} {}

  uint32_t next_u32() {
    if (used_ == 4) {
      block_ = philox({static_cast<uint32_t>(count_), static_cast<uint32_t>(count_ >> 32),
                       stream_[0], stream_[1]},
                      key_);
      ++count_;
      used_ = 0;
    }
    return block_[used_++];
  }

  // In [0, 1), 53 bits.
  double uniform() {
    const uint64_t high = next_u32() >> 5, low = next_u32() >> 6;
    return static_cast<double>(high * 67108864 + low) / 9007199254740992.0;
  }

  // In [0, n), without bias.
  uint64_t below(uint64_t n) {
    const uint64_t limit = UINT64_MAX - UINT64_MAX % n;
    for (;;) {
      const uint64_t draw = (uint64_t{next_u32()} << 32) | next_u32();
      if (draw < limit) return draw % n;
    }
  }

  // Standard normal, by the Box-Muller transform.
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }

 private:
  PhiloxKey key_;
  PhiloxKey stream_;
  uint64_t count_ = 0;
  PhiloxCounter block_{};
  int used_ = 4;
};

}  // namespace weft

#endif  // WEFT_CORE_RANDOM_H_
