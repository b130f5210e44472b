#include <algorithm>

#include "weft/data/boxes/boxed_pictures.h"
#include "weft/tasks/detection/options.h"

namespace weft::tasks {
namespace {

// The length of the training, and with it warm-up and averaging.
constexpr DataPreset kDetectionPresets[] = {
    {"tiny", 0, "after: 200e\nlr-warmup-ratio: 0.05\naverage-share: 0.1\n"},
    {"small", 2000, "after: 60e\nlr-warmup-ratio: 0.05\naverage-share: 0.1\n"},
    {"medium", 20000, "after: 20e\nlr-warmup-ratio: 0.05\naverage-share: 0.1\n"},
    {"large", 200000, "after: 10e\nlr-warmup-ratio: 0.05\naverage-share: 0.1\n"},
};

}  // namespace

std::span<const DataPreset> DetectionOptions::presets() const { return kDetectionPresets; }

int64_t DetectionOptions::count_examples(int64_t enough) const {
  int64_t pictures = 0;
  data::SkippedFiles skipped(data::unnamed(files.bad_files.params()));
  data::read_boxed_pictures(train_sets, files.image_folder, skipped,
                            [&](const data::PictureBoxes&) { ++pictures; });
  return std::min(pictures, enough);
}

}  // namespace weft::tasks
