#include "weft/data/audio/silence.h"

#include <algorithm>
#include <numeric>

namespace weft::data {
namespace {

// Of each frame the mean of the frames up to kFramesAround away.
std::vector<double> loudness_of(std::span<const float> frames, int64_t bins) {
  const int64_t count = std::ssize(frames) / bins;
  std::vector<double> sums = {0};
  for (int64_t n = 0; n < count; ++n) {
    const auto frame = frames.subspan(static_cast<size_t>(n * bins), static_cast<size_t>(bins));
    sums.push_back(std::accumulate(frame.begin(), frame.end(), sums.back()));
  }
  std::vector<double> out;
  for (int64_t n = 0; n < count; ++n) {
    const int64_t begin = std::max<int64_t>(n - kFramesAround, 0);
    const int64_t end = std::min(n + kFramesAround + 1, count);
    out.push_back((sums[end] - sums[begin]) / static_cast<double>(end - begin));
  }
  return out;
}

}  // namespace

std::vector<int64_t> cuts_at_silence(std::span<const float> frames, int64_t bins, int64_t most) {
  const int64_t count = std::ssize(frames) / bins;
  if (count <= most) return {};
  const std::vector<double> loudness = loudness_of(frames, bins);
  std::vector<int64_t> out;
  for (int64_t begin = 0; count - begin > most; begin = out.back()) {
    const auto from = loudness.begin() + begin + std::max<int64_t>(most / 2, 1);
    const auto to = loudness.begin() + begin + most + 1;
    const auto lowest = std::min_element(from, to);
    const auto next = std::find_if(lowest, to, [&](double x) { return x > *lowest; });
    out.push_back(lowest - loudness.begin() + (next - lowest) / 2);
  }
  return out;
}

}  // namespace weft::data
