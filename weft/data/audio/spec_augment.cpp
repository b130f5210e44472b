#include "weft/data/audio/spec_augment.h"

#include <algorithm>

namespace weft::data {
namespace {

struct Mask {
  int64_t begin, end;
};

// From 0 to `most` long, within [0, size).
Mask draw_mask(int64_t size, int64_t most, RandomStream& random) {
  const auto length =
      static_cast<int64_t>(random.below(static_cast<uint64_t>(std::min(size, most)) + 1));
  const auto begin = static_cast<int64_t>(random.below(static_cast<uint64_t>(size - length) + 1));
  return {begin, begin + length};
}

}  // namespace

void spec_augment(std::span<float> frames, int64_t bins, const SpecAugmentOptions& o,
                  RandomStream& random) {
  const int64_t count = std::ssize(frames) / bins;
  const int64_t widest =
      o.frequency_mask_bins > 0 ? o.frequency_mask_bins : std::max<int64_t>(bins / 4, 1);
  for (int64_t m = 0; m < o.frequency_masks; ++m) {
    const Mask mask = draw_mask(bins, widest, random);
    for (int64_t n = 0; n < count; ++n) {
      std::fill(frames.begin() + n * bins + mask.begin, frames.begin() + n * bins + mask.end, 0.0f);
    }
  }
  const auto share = static_cast<int64_t>(o.time_mask_share * static_cast<double>(count));
  for (int64_t m = 0; m < o.time_masks; ++m) {
    const Mask mask = draw_mask(count, std::min(o.time_mask_frames, share), random);
    std::fill(frames.begin() + mask.begin * bins, frames.begin() + mask.end * bins, 0.0f);
  }
}

}  // namespace weft::data
