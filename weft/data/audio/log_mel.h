// Log-mel filter banks: what a transcriber reads of a sound. They are Kaldi's (Povey et al. 2011),
// without dither.
#ifndef WEFT_DATA_AUDIO_LOG_MEL_H_
#define WEFT_DATA_AUDIO_LOG_MEL_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "weft/options/fields.h"

namespace weft::data {

// The mel scale (O'Shaughnessy 1987) as Kaldi has it; frequencies in Hz.
double mel_of(double frequency);
double frequency_of(double mel);
inline constexpr double kLowestFrequency = 20;  // of the first mel bin

struct LogMelOptions {
  int64_t sample_rate = 16000;
  int64_t mel_bins = 80;
  double frame_length = 25;
  double frame_shift = 10;

  template <class V>
  void fields(V& v) {
    v("sample-rate", sample_rate,
      {.help = "samples of a second that sounds are resampled to", .min = 1000, .max = 200000});
    v("mel-bins", mel_bins, {.help = "numbers of a frame", .min = 1, .max = 1024});
    v("frame-length", frame_length,
      {.help = "length of a frame in milliseconds", .min = 1, .max = 1000});
    v("frame-shift", frame_shift,
      {.help = "from a frame to the next, in milliseconds", .min = 1, .max = 1000});
  }

  int64_t window() const { return samples_of(frame_length); }  // samples of a frame
  int64_t shift() const { return samples_of(frame_shift); }
  // Whole frames of this many samples.
  int64_t frames_of(int64_t samples) const {
    return samples < window() ? 0 : 1 + (samples - window()) / shift();
  }
  // From the middle of a mel bin to that of the next, in mel; the first is as far above
  // kLowestFrequency.
  double mel_step() const {
    return (mel_of(static_cast<double>(sample_rate) / 2) - mel_of(kLowestFrequency)) /
           static_cast<double>(mel_bins + 1);
  }
  // Throws OptionError for mel bins that are narrower than the spectrum's.
  void check() const;

 private:
  int64_t samples_of(double milliseconds) const {
    return static_cast<int64_t>(static_cast<double>(sample_rate) * 0.001 * milliseconds);
  }
};

// A triangle over some bins of the spectrum.
struct MelFilter {
  int64_t first = 0;
  std::vector<float> weights;
};

inline constexpr float kLowestLogMel = -15.942385f;  // of digital silence: log FLT_EPSILON

// Of each frame: less its mean, pre-emphasised by 0.97, times a Povey window, zeros up to a power
// of two, power spectrum, triangular filters evenly spaced in mel from 20 Hz to half the sample
// rate, logarithm, at least kLowestLogMel. Samples count as 16-bit integers. Several threads may
// use one.
class LogMel {
 public:
  // Throws OptionError as LogMelOptions::check().
  explicit LogMel(const LogMelOptions& options);
  ~LogMel();
  LogMel(LogMel&&) noexcept;
  LogMel& operator=(LogMel&&) noexcept;

  // Frames [N, mel_bins] of samples from -1 to 1 at the sample rate.
  std::vector<float> operator()(std::span<const float> samples) const;
  const LogMelOptions& options() const { return options_; }

 private:
  struct State;
  LogMelOptions options_;
  std::unique_ptr<const State> state_;
};

}  // namespace weft::data

#endif  // WEFT_DATA_AUDIO_LOG_MEL_H_
