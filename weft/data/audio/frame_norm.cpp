#include "weft/data/audio/frame_norm.h"

#include <algorithm>

namespace weft::data {
namespace {

constexpr float kDynamicRange = 18.420681f;  // of log energies: 80 dB

template <class Change>
void for_each_example(Features& frames, Change change) {
  for (int64_t b = 0; b < frames.examples(); ++b) {
    change(std::span(frames.values)
               .subspan(static_cast<size_t>(frames.segments.begin(b) * frames.width),
                        static_cast<size_t>(frames.segments.length(b) * frames.width)));
  }
}

}  // namespace

void PeakNorm::level(std::span<float> sound) {
  if (sound.empty()) return;
  const float largest = *std::ranges::max_element(sound);
  for (float& value : sound) value = std::max(value - largest, -kDynamicRange);
}

Features PeakNorm::normalise(Features frames, const ChannelStatistics& statistics) {
  for_each_example(frames, level);
  return normalised(std::move(frames), statistics);
}

Features UtteranceNorm::normalise(Features frames, const ChannelStatistics&) {
  for_each_example(frames, [&](std::span<float> sound) {
    PeakNorm::level(sound);
    normalise_rows(sound, channel_statistics(sound, frames.width));
  });
  return frames;
}

}  // namespace weft::data
