#include <algorithm>

#include "weft/data/views/pictures.h"
#include "weft/tasks/cross_view/options.h"

namespace weft::tasks {
namespace {

// The length of the training, and with it warm-up and averaging.
constexpr DataPreset kCrossViewPresets[] = {
    {"tiny", 0, "after: 200e\nlr-warmup-ratio: 0.05\naverage-share: 0.1\n"},
    {"small", 2000, "after: 60e\nlr-warmup-ratio: 0.05\naverage-share: 0.1\n"},
    {"medium", 20000, "after: 20e\nlr-warmup-ratio: 0.05\naverage-share: 0.1\n"},
    {"large", 200000, "after: 10e\nlr-warmup-ratio: 0.05\naverage-share: 0.1\n"},
};

}  // namespace

std::span<const DataPreset> CrossViewTrainOptions::presets() const { return kCrossViewPresets; }

int64_t CrossViewTrainOptions::count_examples(int64_t enough) const {
  if (views.is<data::ListedPairs>()) return count_lines(train_sets, enough);
  int64_t pictures = 0;
  for (const std::string& path : train_sets) {
    data::for_each_picture(path, [&](const data::ReadPicture&) { ++pictures; });
  }
  return std::min(pictures, enough);
}

}  // namespace weft::tasks
