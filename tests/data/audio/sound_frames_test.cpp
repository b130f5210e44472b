#include "weft/data/audio/sound_frames.h"

#include <gtest/gtest.h>

#include "weft/core/random.h"

namespace weft::data {
namespace {

std::vector<float> noise(size_t samples) {
  RandomStream random(5, 0);
  std::vector<float> out(samples);
  for (float& x : out) x = static_cast<float>(random.uniform() - 0.5);
  return out;
}

// Frames of 200 samples every 80, and, with gaps between them, of 80 samples every 240.
TEST(FrameStream, GivesTheFramesOfAllSamplesAtOnce) {
  const std::vector<float> samples = noise(5000);
  for (const auto& [length, shift] : {std::pair{25.0, 10.0}, {10.0, 30.0}}) {
    const LogMel log_mel(
        {.sample_rate = 8000, .mel_bins = 4, .frame_length = length, .frame_shift = shift});
    for (const size_t piece : {1u, 79u, 200u, 1003u, 5000u}) {
      FrameStream stream(log_mel);
      std::vector<float> found;
      for (size_t i = 0; i < samples.size(); i += piece) {
        stream.add(std::span(samples).subspan(i, std::min(piece, samples.size() - i)), found);
      }
      EXPECT_EQ(found, log_mel(samples)) << piece << " samples at a time, every " << shift;
    }
  }
}

}  // namespace
}  // namespace weft::data
