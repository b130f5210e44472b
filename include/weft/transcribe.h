// Texts of what is spoken in sounds.
#ifndef WEFT_TRANSCRIBE_H_
#define WEFT_TRANSCRIBE_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/export.h"
#include "weft/line.h"
#include "weft/model.h"
#include "weft/options.h"
#include "weft/report.h"

namespace weft {

struct Sound {
  std::vector<float> samples;  // of one channel, from -1 to 1
  double rate = 16000;         // samples a second
};
struct TimedWord {
  std::string text;
  double begin = 0, end = 0;  // seconds from the beginning of the sound
};
struct Transcript {
  std::string text = {};
  // A CTC output layer says when words are spoken; without one they are spread evenly over the
  // piece of sound that they were recognised in.
  std::vector<TimedWord> words = {};
  double seconds = 0;               // of the sound
  std::optional<Fault> fault = {};  // why there is no text
};

// Options: `beam-size`, `ctc-weight`, `normalize`, `max-seconds`, `mini-batch`, as of
// `weft transcribe`, and `words`, whether transcripts have them.
class WEFT_API Transcriber {
 public:
  // Throws OptionError for a model of another kind.
  explicit Transcriber(const Model& model, const Options& options = {});
  static const OptionSchema& schema();

  // One result for each sound, in order; a sound is the path of a file (WAV, FLAC, Ogg, MP3).
  std::vector<Transcript> transcribe(std::span<const std::string> paths,
                                     Report* report = nullptr) const;
  std::vector<Transcript> transcribe(std::span<const Line> lines, Report* report = nullptr) const;
  std::vector<Transcript> transcribe(std::span<const Sound> sounds, Report* report = nullptr) const;

  // Whether the times of words are those of a CTC output layer.
  bool knows_times() const;
  // Logs a warning if most of the sounds that the report counts gave no text.
  void warn_of_empty_texts(const Report& report) const;

 private:
  friend class LiveTranscriber;
  struct State;
  std::shared_ptr<const State> state_;
};

// Transcribes sound while it arrives. After every `step` seconds of new sound the whole current
// piece is recognised again. The words with which two successive recognitions begin alike are
// certain (local agreement, Liu et al. 2020); they are returned once and do not change. The words
// depend only on the samples, not on how the samples are divided among calls. Not for use by
// several threads at once.
class WEFT_API LiveTranscriber {
 public:
  // Of samples at this rate; 0: that of the model. `step` in seconds. Throws OptionError.
  explicit LiveTranscriber(const Transcriber& transcriber, int64_t rate = 0, double step = 1);
  ~LiveTranscriber();
  LiveTranscriber(LiveTranscriber&&) noexcept;
  LiveTranscriber& operator=(LiveTranscriber&&) noexcept;

  // Takes samples of one channel, from -1 to 1, and returns the words that have become certain.
  std::vector<TimedWord> add(std::span<const float> samples);
  // The remaining words, after the last samples. The report counts the sound. Windows whose scores
  // are not finite numbers give no words, and a fault of the sound.
  std::vector<TimedWord> finish(Report* report = nullptr);
  double seconds() const;  // of sound so far

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weft

#endif  // WEFT_TRANSCRIBE_H_
