// Sound files, read by libsndfile, as samples at one rate.
#ifndef WEFT_DATA_AUDIO_AUDIO_FILE_H_
#define WEFT_DATA_AUDIO_AUDIO_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace weft::data {

inline constexpr double kMaxHours = 12;  // of a file

// A sound file that is read by blocks, never whole in memory.
class AudioFile {
 public:
  // Samples are resampled to `rate` where the file has another one. Throws FileError for a file
  // that cannot be read and for a pipe, and FormatError, naming it, for another format than
  // kSoundFormats.
  AudioFile(const std::string& path, int64_t rate);
  ~AudioFile();
  AudioFile(AudioFile&&) noexcept;
  AudioFile& operator=(AudioFile&&) noexcept;

  // Appends the samples of the next block, from -1 to 1, the mean of the channels; false where
  // there is no more. Throws FormatError for a damaged file, no samples at all, a sample that is
  // not finite, and more than kMaxHours.
  bool read(std::vector<float>& out);
  double seconds() const;  // read so far
  int64_t file_rate() const;
  int64_t channels() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weft::data

#endif  // WEFT_DATA_AUDIO_AUDIO_FILE_H_
