// Sounds with their text, whole in memory as log-mel frames: what a transcriber trains on.
#ifndef WEFT_DATA_AUDIO_TRANSCRIBED_AUDIO_H_
#define WEFT_DATA_AUDIO_TRANSCRIBED_AUDIO_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "weft/data/audio/frame_norm.h"
#include "weft/data/audio/log_mel.h"
#include "weft/data/bad_files.h"
#include "weft/data/dataset.h"
#include "weft/data/features/channel_statistics.h"
#include "weft/data/text/tokeniser.h"

namespace weft::data {

struct TranscribedSound {
  std::string where;  // "train.tsv:17"
  std::string path;   // of the sound
  std::string_view text;
};
// Calls take() for each line `path TAB text` of these files, plain or .gz; paths are from the
// folder of the file on. Throws FormatError, naming file and line, for a line without a tab,
// without a path or text, or not in UTF-8.
void read_transcribed_audio(const std::vector<std::string>& files,
                            const std::function<void(const TranscribedSound&)>& take);

// Which sounds are left out, and what is done to the others.
struct TranscribedAudioOptions {
  double max_seconds = 30;  // longer ones
  BadFiles bad_files = BadFiles::kRefuse;
  FrameNorms frame_norm = {};  // frames are levelled by it
  // Why a model cannot train on this many frames and tokens, as in "too short for their text";
  // empty if it can.
  std::function<std::string(int64_t frames, std::span<const int32_t> tokens)> why_unfit = {};
};

// The fields of a batch: Features, log-mel frames that are levelled but not normalised; Tokens with
// their end symbols. A batch is bounded by frames.
class TranscribedAudio : public Dataset {
 public:
  // Throws as read_transcribed_audio() and, naming the line too, as read_audio() unless bad files
  // are skipped, and FormatError where no sound is left.
  TranscribedAudio(const std::vector<std::string>& files, const LogMel& log_mel,
                   TokeniserPtr tokeniser, const TranscribedAudioOptions& options);

  int64_t size() const override { return std::ssize(texts_); }
  Cost cost(int64_t example) const override {
    return {.rows = frames_.length(example), .other_rows = tokens_.segments.length(example)};
  }
  Batch batch(std::span<const int64_t> examples) const override;
  uint64_t fingerprint() const override;

  int64_t tokens(int64_t example) const { return tokens_.segments.length(example); }
  const std::vector<std::string>& texts() const { return texts_; }
  ChannelStatistics statistics() const { return channel_statistics(values_, bins_); }
  // "train.tsv: 5452 sounds, 3.2 hours, 61200 tokens; 3 over 30 seconds left out, 812 resampled"
  std::string report() const;

 private:
  struct Counts {
    int64_t too_long = 0, resampled = 0, mixed_down = 0;
    std::map<std::string, int64_t> unfit = {};  // by reason
  };
  void add(std::string_view text, std::vector<float> frames,
           const TranscribedAudioOptions& options);

  std::string name_;
  TokeniserPtr tokeniser_;
  int64_t bins_;
  double seconds_ = 0, max_seconds_;
  Counts counts_;
  SkippedFiles skipped_;
  std::vector<float> values_;  // [N, bins]
  Segments frames_;
  Tokens tokens_;
  std::vector<std::string> texts_;
};

}  // namespace weft::data

#endif  // WEFT_DATA_AUDIO_TRANSCRIBED_AUDIO_H_
