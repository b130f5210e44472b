#include "weft/data/audio/perturbation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace weft::data {
namespace {

// A place between two rows or columns: (1 - share) of `first` and `share` of `second`.
struct Between {
  int64_t first, second;
  float share;
};

Between between(double place, int64_t size) {
  const double inside = std::clamp(place, 0.0, static_cast<double>(size - 1));
  const auto first = static_cast<int64_t>(inside);
  return {first, std::min(first + 1, size - 1),
          static_cast<float>(inside - static_cast<double>(first))};
}

// For each bin the place of what is heard there at this speed.
std::vector<Between> sources_of_bins(const LogMelOptions& o, double speed) {
  std::vector<Between> out;
  const double low = mel_of(kLowestFrequency), step = o.mel_step();
  for (int64_t m = 0; m < o.mel_bins; ++m) {
    const double frequency = frequency_of(low + static_cast<double>(m + 1) * step);
    out.push_back(between((mel_of(frequency / speed) - low) / step - 1, o.mel_bins));
  }
  return out;
}

}  // namespace

std::vector<float> with_speed(std::span<const float> frames, const LogMelOptions& options,
                              double speed) {
  const int64_t bins = options.mel_bins, count = std::ssize(frames) / bins;
  if (count == 0) return {};
  const std::vector<Between> columns = sources_of_bins(options, speed);
  const int64_t made = 1 + std::llround(static_cast<double>(count - 1) / speed);
  std::vector<float> out;
  out.reserve(static_cast<size_t>(made * bins));
  for (int64_t n = 0; n < made; ++n) {
    const Between row = between(static_cast<double>(n) * speed, count);
    const float* first = frames.data() + row.first * bins;
    const float* second = frames.data() + row.second * bins;
    for (const Between& column : columns) {
      const float above = std::lerp(first[column.first], second[column.first], row.share);
      const float below = std::lerp(first[column.second], second[column.second], row.share);
      out.push_back(std::lerp(above, below, column.share));
    }
  }
  return out;
}

void change_gain(std::span<float> frames, double decibels) {
  const auto shift = static_cast<float>(decibels / 10 * std::numbers::ln10);
  for (float& value : frames) {
    if (value > kLowestLogMel) value = std::max(value + shift, kLowestLogMel);
  }
}

}  // namespace weft::data
