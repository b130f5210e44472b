// Transcripts of sound that is still coming in.
#ifndef WEFT_PREDICT_TRANSCRIPTION_LIVE_TRANSCRIBER_H_
#define WEFT_PREDICT_TRANSCRIPTION_LIVE_TRANSCRIBER_H_

#include <span>
#include <vector>

#include "weft/data/audio/sound_frames.h"
#include "weft/predict/transcription/transcriber.h"

namespace weft::predict {

// After every step of new sound all of the current piece is recognised again, so that windows
// overlap. Words that two windows in a row begin with are certain (local agreement, Liu et al.
// 2020, "Low-latency sequence-to-sequence speech recognition and translation by partial hypothesis
// selection"); they are returned once and do not change. A piece ends at a quiet
// place before --max-seconds, as in a file. Its words that are not certain by then are returned as
// they are recognised in the whole piece. The words depend on the samples alone, not on how many
// arrive at a time.
class LiveTranscriber {
 public:
  // The transcriber has to outlive it. `step` in seconds.
  LiveTranscriber(const Transcriber& transcriber, double step);

  // Takes samples at the model's rate and returns the words that have become certain.
  std::vector<TimedWord> add(std::span<const float> samples);
  // The remaining words, after the last samples. Counts the sound in the report: whether it gave
  // text, and whether the scores of a window, which then gave no word, were not finite.
  std::vector<TimedWord> finish(Report& report);
  double seconds() const { return static_cast<double>(samples_) / rate_; }

 private:
  // Words of the current piece, or of its first frames, with times from the beginning of the sound.
  std::vector<TimedWord> words_of(std::span<const float> frames);
  void end_window(std::vector<TimedWord>& out);
  void end_pieces(std::vector<TimedWord>& out);
  // Those of the words of the current piece that follow what was given out.
  std::span<const TimedWord> not_given_out(std::span<const TimedWord> words) const;
  void give_out(std::span<const TimedWord> words, std::vector<TimedWord>& out);

  const Transcriber& transcriber_;
  data::FrameStream stream_;
  double rate_;
  int64_t step_;                   // samples
  int64_t samples_ = 0;            // taken
  int64_t first_frame_ = 0;        // of the current piece
  std::vector<float> frames_;      // of the current piece
  std::vector<TimedWord> before_;  // of the last window in it
  size_t given_ = 0;               // words of the piece that were given out
  double given_end_ = 0;           // of the last word that was given out
  bool has_text_ = false;          // words were given out
  bool is_finite_ = true;          // of all windows
};

}  // namespace weft::predict

#endif  // WEFT_PREDICT_TRANSCRIPTION_LIVE_TRANSCRIBER_H_
