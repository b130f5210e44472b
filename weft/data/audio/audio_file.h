// Sound files: WAV, FLAC, Ogg and what else libsndfile reads, as samples at one rate.
#ifndef WEFT_DATA_AUDIO_AUDIO_FILE_H_
#define WEFT_DATA_AUDIO_AUDIO_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace weft::data {

inline constexpr double kMaxHours = 12;  // of a file

struct Audio {
  std::vector<float> samples;  // from -1 to 1; the mean of the channels
  int64_t rate = 0;            // samples of a second
  int64_t file_rate = 0;       // those of the file
  int64_t channels = 0;        // of the file

  double seconds() const { return static_cast<double>(samples.size()) / static_cast<double>(rate); }
};

// Reads a file and resamples it to `rate` where it has another one. Throws FileError for a file
// that cannot be read, and FormatError, naming it, for another format, a damaged file, no samples,
// a sample that is not finite, and more than kMaxHours.
Audio read_audio(const std::string& path, int64_t rate);

}  // namespace weft::data

#endif  // WEFT_DATA_AUDIO_AUDIO_FILE_H_
