// Transcripts as subtitles.
#ifndef APPS_WEFT_OUTPUT_SUBTITLES_H_
#define APPS_WEFT_OUTPUT_SUBTITLES_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/transcribe.h"

namespace weft::app {

struct Cue {
  int64_t begin = 0, end = 0;  // milliseconds
  std::string text;            // of one line, or of two with a line end between them
};

// Words that come in, as cues of at most two lines of 42 characters and 7 seconds. A pause of 0.8
// seconds ends a cue. Cues do not overlap, and last a millisecond or longer.
class CueBuilder {
 public:
  // Appends the cues that these words complete.
  void add(std::span<const TimedWord> words, std::vector<Cue>& out);
  // Appends the last one.
  void finish(std::vector<Cue>& out);

 private:
  struct Word {
    int64_t begin, end;
    std::string text;
  };
  bool is_full_before(const Word& word) const;

  std::vector<Word> words_;  // of the next cue
  int64_t end_ = 0;          // of the last word
};

// "01:02:03.456", or with another mark before the milliseconds.
std::string time_text(int64_t milliseconds, char mark = '.');

// SubRip (.srt) and WebVTT (.vtt): what a file begins with, and its cues, numbered from 1.
struct SubRip {
  static constexpr std::string_view kHeader = "";
  static std::string text_of(const Cue& cue, int64_t number);
};
struct WebVtt {
  static constexpr std::string_view kHeader = "WEBVTT\n\n";
  static std::string text_of(const Cue& cue, int64_t number);
};

}  // namespace weft::app

#endif  // APPS_WEFT_OUTPUT_SUBTITLES_H_
