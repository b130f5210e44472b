// Fuzzes the reader of sound files, and frames made of what it reads (libFuzzer):
//
//   cmake --preset fuzz && cmake --build --preset fuzz
//   build/fuzz/tests/weft_audio_fuzz -max_len=4096 -max_total_time=600 corpus tests/golden/sounds
//
// `corpus` is a folder for what it finds; the other one holds small files of every kind.
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "weft/core/error.h"
#include "weft/data/audio/audio_file.h"
#include "weft/data/audio/log_mel.h"
#include "weft/data/audio/silence.h"

namespace {

void require(bool holds) {
  if (!holds) __builtin_trap();
}

}  // namespace

// libsndfile keeps memory of damaged Ogg files.
extern "C" [[gnu::visibility("default")]] const char* __lsan_default_suppressions() {
  return "leak:vorbis_info_init\n";
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const int file = memfd_create("fuzz", MFD_CLOEXEC);
  require(file >= 0 && write(file, data, size) == static_cast<ssize_t>(size));
  try {
    weft::data::AudioFile sound("/proc/self/fd/" + std::to_string(file), 8000);
    std::vector<float> samples;
    while (sound.read(samples)) {
    }
    require(!samples.empty());
    for (const float sample : samples) require(std::isfinite(sample));
    if (samples.size() < (1 << 18)) {
      constexpr int64_t kBins = 8;
      const weft::data::LogMel log_mel({.sample_rate = 8000, .mel_bins = kBins});
      const std::vector<float> frames = log_mel(samples);
      for (const int64_t cut : weft::data::cuts_at_silence(frames, kBins, 10)) {
        require(cut > 0 && cut * kBins < static_cast<int64_t>(frames.size()));
      }
    }
  } catch (const weft::FormatError&) {  // the one kind that bytes may lead to
  }
  close(file);
  return 0;
}
