// The random numbers of NumPy's default generator, by which sacreBLEU draws samples: PCG64 (O'Neill
// 2014), seeded by SeedSequence.
#ifndef WEFT_METRICS_NUMPY_RANDOM_H_
#define WEFT_METRICS_NUMPY_RANDOM_H_

#include <cstdint>
#include <optional>

namespace weft::metrics {

__extension__ using Uint128 = unsigned __int128;

class NumpyRandom {
 public:
  // numpy.random.default_rng(seed)
  explicit NumpyRandom(uint64_t seed);

  // The next of integers(0, n), for 1 <= n <= 2^32 - 1.
  uint32_t below(uint32_t n);

 private:
  uint64_t next();
  uint32_t next_half();

  Uint128 state_ = 0, increment_ = 0;
  std::optional<uint32_t> half_;  // the upper half of the last number, not yet used
};

}  // namespace weft::metrics

#endif  // WEFT_METRICS_NUMPY_RANDOM_H_
