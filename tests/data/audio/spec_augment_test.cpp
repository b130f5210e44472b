#include "weft/data/audio/spec_augment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace weft::data {
namespace {

constexpr int64_t kFrames = 50, kBins = 8;

std::vector<float> masked(const SpecAugmentOptions& options, uint64_t stream = 0) {
  std::vector<float> frames(kFrames * kBins, 1);
  RandomStream random(3, stream);
  spec_augment(frames, kBins, options, random);
  return frames;
}
int64_t zeros(const std::vector<float>& frames) { return std::ranges::count(frames, 0); }
bool is_zero_row(const std::vector<float>& frames, int64_t n) {
  return std::all_of(frames.begin() + n * kBins, frames.begin() + (n + 1) * kBins,
                     [](float x) { return x == 0; });
}

TEST(SpecAugment, MasksWholeFramesAtMostAsLongAsAsked) {
  int64_t longest = 0;
  for (uint64_t stream = 0; stream < 200; ++stream) {
    const auto frames =
        masked({.frequency_masks = 0, .time_masks = 1, .time_mask_frames = 6}, stream);
    int64_t rows = 0;
    for (int64_t n = 0; n < kFrames; ++n) rows += is_zero_row(frames, n) ? 1 : 0;
    EXPECT_EQ(zeros(frames), rows * kBins);
    longest = std::max(longest, rows);
  }
  EXPECT_EQ(longest, 6);
}

TEST(SpecAugment, MasksAShareOfTheFramesAtMost) {
  for (uint64_t stream = 0; stream < 100; ++stream) {
    EXPECT_LE(
        zeros(masked({.frequency_masks = 0, .time_masks = 1, .time_mask_share = 0.1}, stream)),
        5 * kBins);
  }
}

TEST(SpecAugment, MasksABandOfBins) {
  int64_t widest = 0;
  for (uint64_t stream = 0; stream < 100; ++stream) {
    const auto frames = masked({.frequency_masks = 1, .time_masks = 0}, stream);
    for (int64_t n = 1; n < kFrames; ++n) {  // the same bins in all frames
      EXPECT_TRUE(std::equal(frames.begin(), frames.begin() + kBins, frames.begin() + n * kBins));
    }
    widest = std::max(widest, zeros(frames) / kFrames);
  }
  EXPECT_EQ(widest, kBins / 4);
}

TEST(SpecAugment, LeavesAllWhereThereAreNoMasks) {
  EXPECT_EQ(zeros(masked({.frequency_masks = 0, .time_masks = 0})), 0);
}

}  // namespace
}  // namespace weft::data
