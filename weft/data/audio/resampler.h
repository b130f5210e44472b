// Samples at another rate.
#ifndef WEFT_DATA_AUDIO_RESAMPLER_H_
#define WEFT_DATA_AUDIO_RESAMPLER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace weft::data {

// Resamples a sound that comes in pieces, band-limited (libsoxr's high quality).
class Resampler {
 public:
  // Throws FormatError for rates that it cannot convert.
  Resampler(int64_t from, int64_t to);
  ~Resampler();
  Resampler(Resampler&&) noexcept;
  Resampler& operator=(Resampler&&) noexcept;

  // Appends what is ready of the samples up to the end of this piece.
  void resample(std::span<const float> piece, std::vector<float>& out);
  // Appends the rest, after the last piece.
  void finish(std::vector<float>& out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weft::data

#endif  // WEFT_DATA_AUDIO_RESAMPLER_H_
