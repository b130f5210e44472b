#include "weft/data/audio/sound_frames.h"

#include <algorithm>

#include "weft/data/audio/audio_file.h"

namespace weft::data {

void FrameStream::add(std::span<const float> samples, std::vector<float>& frames) {
  const int64_t gap = std::min(skipped_, std::ssize(samples));
  skipped_ -= gap;
  const auto rest = samples.subspan(static_cast<size_t>(gap));
  pending_.insert(pending_.end(), rest.begin(), rest.end());
  const LogMelOptions& options = log_mel_.options();
  const int64_t count = options.frames_of(std::ssize(pending_));
  if (count == 0) return;
  const std::vector<float> made = log_mel_(pending_);
  frames.insert(frames.end(), made.begin(), made.end());
  const int64_t passed = count * options.shift();  // with --frame-shift over --frame-length beyond
  const int64_t used = std::min(passed, std::ssize(pending_));
  pending_.erase(pending_.begin(), pending_.begin() + used);
  skipped_ = passed - used;
}

SoundFrames read_frames(const std::string& path, const LogMel& log_mel, double max_seconds) {
  AudioFile file(path, log_mel.options().sample_rate);
  SoundFrames out{.is_resampled = file.file_rate() != log_mel.options().sample_rate,
                  .is_mixed_down = file.channels() > 1};
  FrameStream stream(log_mel);
  for (std::vector<float> samples; file.read(samples); samples.clear()) {
    if (file.seconds() > max_seconds) {
      out.frames = {};
      out.is_too_long = true;
      break;
    }
    stream.add(samples, out.frames);
  }
  out.frames.shrink_to_fit();  // callers keep those of many sounds
  out.seconds = file.seconds();
  return out;
}

}  // namespace weft::data
