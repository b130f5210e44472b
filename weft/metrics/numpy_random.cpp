#include "weft/metrics/numpy_random.h"

#include <array>
#include <bit>

namespace weft::metrics {
namespace {

constexpr size_t kPool = 4;
constexpr Uint128 kMultiplier =
    (static_cast<Uint128>(0x2360ED051FC65DA4) << 64) | 0x4385DF649FCCF645;

// A hash whose multiplier changes from call to call.
struct Mixer {
  uint32_t constant, multiplier;

  uint32_t operator()(uint32_t value) {
    value ^= constant;
    constant *= multiplier;
    value *= constant;
    return value ^ (value >> 16);
  }
};

uint32_t combined(uint32_t x, uint32_t y) {
  const uint32_t out = 0xCA01F9DD * x - 0x4973F715 * y;
  return out ^ (out >> 16);
}

// SeedSequence(seed).generate_state(4, uint64).
std::array<uint64_t, 4> seed_sequence(uint64_t seed) {
  std::array<uint32_t, kPool> pool = {static_cast<uint32_t>(seed),
                                      static_cast<uint32_t>(seed >> 32), 0, 0};
  Mixer in{0x43B0D7E5, 0x931E8875};
  for (uint32_t& word : pool) word = in(word);
  for (size_t from = 0; from < kPool; ++from) {
    for (size_t to = 0; to < kPool; ++to) {
      if (from != to) pool[to] = combined(pool[to], in(pool[from]));
    }
  }
  Mixer out{0x8B51F9DD, 0x58F38DED};
  std::array<uint64_t, 4> words{};
  for (size_t i = 0; i < 2 * words.size(); ++i) {
    words[i / 2] |= static_cast<uint64_t>(out(pool[i % kPool])) << (32 * (i % 2));
  }
  return words;
}

Uint128 joined(uint64_t high, uint64_t low) { return (static_cast<Uint128>(high) << 64) | low; }

}  // namespace

NumpyRandom::NumpyRandom(uint64_t seed) {
  const std::array<uint64_t, 4> words = seed_sequence(seed);
  increment_ = (joined(words[2], words[3]) << 1) | 1;
  next();
  state_ += joined(words[0], words[1]);
  next();
}

uint64_t NumpyRandom::next() {
  state_ = state_ * kMultiplier + increment_;
  const auto high = static_cast<uint64_t>(state_ >> 64), low = static_cast<uint64_t>(state_);
  return std::rotr(high ^ low, static_cast<int>(high >> 58));
}

uint32_t NumpyRandom::next_half() {
  if (half_) {
    const uint32_t out = *half_;
    half_.reset();
    return out;
  }
  const uint64_t both = next();
  half_ = static_cast<uint32_t>(both >> 32);
  return static_cast<uint32_t>(both);
}

// By multiplication, with rejection of what would favour some numbers (Lemire 2019).
uint32_t NumpyRandom::below(uint32_t n) {
  if (n == 1) return 0;
  const uint32_t threshold = (0U - n) % n;
  uint64_t product = 0;
  do {
    product = static_cast<uint64_t>(next_half()) * n;
  } while (static_cast<uint32_t>(product) < threshold);
  return static_cast<uint32_t>(product >> 32);
}

}  // namespace weft::metrics
