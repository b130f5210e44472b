// The mean and standard deviation of each channel of vectors, by which a model's input is
// normalised.
#ifndef WEFT_DATA_FEATURES_CHANNEL_STATISTICS_H_
#define WEFT_DATA_FEATURES_CHANNEL_STATISTICS_H_

#include <span>
#include <vector>

#include "weft/data/batch.h"
#include "weft/options/fields.h"

namespace weft::data {

// The deviation of a channel that is the same everywhere is 1.
struct ChannelStatistics {
  std::vector<double> mean, deviation;  // [channels]

  template <class V>
  void fields(V& v) {
    v("channel-mean", mean, {.help = "of each channel", .min = -1e38, .max = 1e38});
    v("channel-deviation", deviation, {.help = "of each channel", .min = 1e-38, .max = 1e38});
  }
};

// Of rows [N, width]; numbers that are missing, NaN, do not count.
ChannelStatistics channel_statistics(std::span<const float> values, int64_t width);

// Replaces each number of rows [N, channels] by (value - mean) / deviation, those that are missing
// by 0. Throws ShapeError for statistics of no channel or of another number.
void normalise_rows(std::span<float> values, const ChannelStatistics& statistics);
// The same of features.
Features normalised(Features features, const ChannelStatistics& statistics);

}  // namespace weft::data

#endif  // WEFT_DATA_FEATURES_CHANNEL_STATISTICS_H_
