// Texts of what is spoken in sounds.
#ifndef WEFT_TRANSCRIBE_H_
#define WEFT_TRANSCRIBE_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/export.h"
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
// `weft transcribe`.
class WEFT_API Transcriber {
 public:
  // Throws OptionError for a model of another kind.
  explicit Transcriber(const Model& model, const Options& options = {});

  // One result for each sound, in order; a sound is the path of a file (WAV, FLAC, Ogg, MP3).
  std::vector<Transcript> transcribe(std::span<const std::string> paths,
                                     Report* report = nullptr) const;
  std::vector<Transcript> transcribe(std::span<const Sound> sounds, Report* report = nullptr) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace weft

#endif  // WEFT_TRANSCRIBE_H_
