// The log-mel frames of sounds that come in pieces.
#ifndef WEFT_DATA_AUDIO_SOUND_FRAMES_H_
#define WEFT_DATA_AUDIO_SOUND_FRAMES_H_

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "weft/data/audio/log_mel.h"

namespace weft::data {

// Frames of samples in pieces of any length: the same as of all samples at once.
class FrameStream {
 public:
  // `log_mel` has to outlive it.
  explicit FrameStream(const LogMel& log_mel) : log_mel_(log_mel) {}

  // Appends the frames [N, mel_bins] that end with these samples.
  void add(std::span<const float> samples, std::vector<float>& frames);

 private:
  const LogMel& log_mel_;
  std::vector<float> pending_;  // from the beginning of the next frame on
  int64_t skipped_ = 0;         // samples between the last frame and the next, yet to come
};

struct SoundFrames {
  std::vector<float> frames = {};  // [N, mel_bins]
  double seconds = 0;              // read
  bool is_too_long = false;        // over the limit: it was read to there, and has no frames
  bool is_resampled = false, is_mixed_down = false;
};

// Reads a sound file by blocks, and no further than a block over `max_seconds`. Throws as
// AudioFile does.
SoundFrames read_frames(const std::string& path, const LogMel& log_mel,
                        double max_seconds = std::numeric_limits<double>::infinity());

}  // namespace weft::data

#endif  // WEFT_DATA_AUDIO_SOUND_FRAMES_H_
