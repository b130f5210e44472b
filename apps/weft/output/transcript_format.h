// The forms that transcripts are written in.
#ifndef APPS_WEFT_OUTPUT_TRANSCRIPT_FORMAT_H_
#define APPS_WEFT_OUTPUT_TRANSCRIPT_FORMAT_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "weft/transcribe.h"

namespace weft::app {

inline constexpr std::string_view kTranscriptFormats = "text|json|srt|vtt";

class TranscriptFormat {
 public:
  virtual ~TranscriptFormat() = default;

  // What is written before all transcripts.
  virtual std::string header() const { return {}; }
  // What is written for a sound file. Throws OptionError for a second file of subtitles.
  virtual std::string of_file(const std::string& path, const Transcript& transcript) = 0;
  // What is written for words of a sound that is still coming in.
  virtual std::string of_words(std::span<const TimedWord> words) = 0;
  // What is left when that sound has ended.
  virtual std::string end() { return {}; }
};

// By one of kTranscriptFormats. Without `has_times`, the model does not say when a word is spoken.
std::unique_ptr<TranscriptFormat> make_transcript_format(std::string_view name, bool has_times);

}  // namespace weft::app

#endif  // APPS_WEFT_OUTPUT_TRANSCRIPT_FORMAT_H_
