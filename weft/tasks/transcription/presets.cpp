#include <algorithm>

#include "weft/tasks/transcription/options.h"

namespace weft::tasks {
namespace {

// The length of the training, and with it warm-up and averaging.
constexpr DataPreset kTranscriptionPresets[] = {
    {"tiny", 0, "after: 200e\nlr-warmup-ratio: 0.1\naverage-share: 0.1\n"},
    {"small", 2000, "after: 60e\nlr-warmup-ratio: 0.1\naverage-share: 0.1\n"},
    {"medium", 20000, "after: 20e\nlr-warmup-ratio: 0.1\naverage-share: 0.1\n"},
    {"large", 200000, "after: 10e\nlr-warmup-ratio: 0.1\naverage-share: 0.1\n"},
};

}  // namespace

std::span<const DataPreset> TranscriptionOptions::presets() const { return kTranscriptionPresets; }

int64_t TranscriptionOptions::count_examples(int64_t enough) const {
  return count_lines(data.train_sets, enough);
}

}  // namespace weft::tasks
