// How log-mel frames are normalised before a transcriber reads them.
#ifndef WEFT_DATA_AUDIO_FRAME_NORM_H_
#define WEFT_DATA_AUDIO_FRAME_NORM_H_

#include <span>

#include "weft/data/features/channel_statistics.h"
#include "weft/options/one_of.h"

namespace weft::data {

// Each kind has level(), which changes the frames of one sound before the statistics of training
// are taken, and normalise(), which gives what the model reads, example by example. `statistics`
// are those of training.
struct GlobalNorm {
  static constexpr std::string_view kName = "global";
  static constexpr std::string_view kHelp =
      "by the mean and deviation of each bin in all training sounds";
  static void level(std::span<float>) {}
  static Features normalise(Features frames, const ChannelStatistics& statistics) {
    return normalised(std::move(frames), statistics);
  }
};

struct PeakNorm {
  static constexpr std::string_view kName = "peak";
  static constexpr std::string_view kHelp =
      "the same of numbers relative to the largest of the sound, so that its loudness does not "
      "matter";
  // Less the largest number, and at least -80 dB: the level of silence does not scale with that of
  // a voice.
  static void level(std::span<float> sound);
  static Features normalise(Features frames, const ChannelStatistics& statistics);
};

struct UtteranceNorm {
  static constexpr std::string_view kName = "utterance";
  static constexpr std::string_view kHelp =
      "by the mean and deviation of each bin in the sound itself, for sounds without pauses";
  static void level(std::span<float>) {}
  static Features normalise(Features frames, const ChannelStatistics& statistics);
};

using FrameNorms = options::OneOf<GlobalNorm, PeakNorm, UtteranceNorm>;

// The field of the choice, in training and in model files; files without it have GlobalNorm.
template <class V>
void frame_norm_field(V& v, FrameNorms& norm) {
  options::choice(v, "frame-norm", norm, {.help = "what the numbers of a frame are normalised by"});
}

}  // namespace weft::data

#endif  // WEFT_DATA_AUDIO_FRAME_NORM_H_
