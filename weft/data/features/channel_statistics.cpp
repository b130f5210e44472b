#include "weft/data/features/channel_statistics.h"

#include <cmath>

#include "weft/core/error.h"

namespace weft::data {

ChannelStatistics channel_statistics(std::span<const float> values, int64_t width) {
  ChannelStatistics out;
  const auto step = static_cast<size_t>(width);
  for (size_t c = 0; c < step; ++c) {
    double count = 0, mean = 0, squares = 0;  // Welford 1962
    for (size_t i = c; i < values.size(); i += step) {
      const double value = values[i];
      if (std::isnan(value)) continue;
      const double away = value - mean;
      mean += away / ++count;
      squares += away * (value - mean);
    }
    const double deviation = count > 0 ? std::sqrt(squares / count) : 0;
    out.mean.push_back(mean);
    out.deviation.push_back(deviation > 1e-38 ? deviation : 1);
  }
  return out;
}

void normalise_rows(std::span<float> values, const ChannelStatistics& statistics) {
  const size_t width = statistics.mean.size();
  if (values.empty()) return;
  if (width == 0 || statistics.deviation.size() != width || values.size() % width != 0) {
    fail<ShapeError>("normalise_rows",
                     "expected rows as wide as the statistics, got {} numbers, {} means and {} "
                     "deviations",
                     values.size(), width, statistics.deviation.size());
  }
  for (size_t row = 0; row < values.size(); row += width) {
    for (size_t c = 0; c < width; ++c) {
      float& value = values[row + c];
      const double standard = (value - statistics.mean[c]) / statistics.deviation[c];
      value = std::isnan(value) ? 0 : static_cast<float>(standard);
    }
  }
}

Features normalised(Features features, const ChannelStatistics& statistics) {
  normalise_rows(features.values, statistics);
  return features;
}

}  // namespace weft::data
