// Samples without a header from a pipe, transcribed while they come.
#ifndef APPS_WEFT_INPUT_RAW_SOUND_H_
#define APPS_WEFT_INPUT_RAW_SOUND_H_

#include <string>

#include "apps/weft/input/lines.h"
#include "apps/weft/output/transcript_format.h"
#include "weft/data/audio/raw_samples.h"
#include "weft/options/fields.h"

namespace weft::app {

struct NoRaw {
  static constexpr std::string_view kName = "no";
  static constexpr std::string_view kHelp = "--input has paths of sound files";
};
using RawKinds = options::OneOf<NoRaw, data::Integers16, data::Integers24, data::Integers32,
                                data::UnsignedBytes, data::Floats32>;

struct RawOptions {
  RawKinds raw;
  int64_t rate = 0;
  int64_t channels = 1;
  double step = 1;

  template <class V>
  void fields(V& v) {
    options::choice(
        v, "raw", raw,
        {.help = "samples without a header on --input, as arecord or ffmpeg write them to a "
                 "pipe: they are transcribed while they come; how a sample is stored"});
    options::belongs_to<data::Integers16, data::Integers24, data::Integers32, data::UnsignedBytes,
                        data::Floats32>(v, "raw", &raw.selection(), [&] {
      v("rate", rate, {.help = "samples a second; 0: the rate of the model", .min = 0, .max = 1e6});
      v("channels", channels, {.help = "channels, averaged", .min = 1, .max = 64});
      v("step", step,
        {.help = "seconds of new sound after which the current piece, of at most --max-seconds, is "
                 "recognised again; a word is written when two times agree on it",
         .min = 0.05,
         .max = 60});
    });
  }
  bool is_on() const { return !raw.is<NoRaw>(); }
};

struct RawEnd {
  double seconds = 0;  // of sound
  int signal = 0;      // that ended it; 0: the sound did
  Report report{"sound"};
};

// Reads samples up to the end of the file, pipe or standard input, or up to Ctrl-C or SIGTERM, and
// writes their words as they become certain.
RawEnd transcribe_raw(const std::string& input, const RawOptions& options,
                      const Transcriber& transcriber, TranscriptFormat& format, LineSink& sink);

}  // namespace weft::app

#endif  // APPS_WEFT_INPUT_RAW_SOUND_H_
