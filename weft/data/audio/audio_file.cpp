#include "weft/data/audio/audio_file.h"

#include <sndfile.h>

#include <cmath>
#include <memory>
#include <optional>

#include "weft/core/error.h"
#include "weft/core/open_file.h"
#include "weft/data/audio/resampler.h"

namespace weft::data {
namespace {

constexpr int64_t kMostChannels = 64, kMostRate = 1'000'000;

struct CloseSound {
  void operator()(SNDFILE* file) const { sf_close(file); }
};
using SoundFile = std::unique_ptr<SNDFILE, CloseSound>;

SoundFile open_sound(const std::string& path, SF_INFO& info) {
  SoundFile file(sf_open_fd(open_for_reading(path, Pipes::kRefused), SFM_READ, &info, SF_TRUE));
  if (!file) {
    fail<FormatError>(path, "{} expected WAV, FLAC or Ogg", sf_strerror(nullptr));
  }
  if (info.channels < 1 || info.channels > kMostChannels || info.samplerate < 1 ||
      info.samplerate > kMostRate) {
    fail<FormatError>(path,
                      "{} channels of {} samples a second; expected at most {} and at most {}",
                      info.channels, info.samplerate, kMostChannels, kMostRate);
  }
  return file;
}

// Appends the means over the channels of interleaved samples.
void mix_down(std::span<const float> samples, int64_t channels, std::vector<float>& out,
              const std::string& path) {
  const auto step = static_cast<size_t>(channels);
  for (size_t i = 0; i < samples.size(); i += step) {
    float sum = 0;
    for (size_t c = 0; c < step; ++c) sum += samples[i + c];
    if (!std::isfinite(sum)) {
      fail<FormatError>(path, "a sample is not finite; expected numbers from -1 to 1");
    }
    out.push_back(sum / static_cast<float>(channels));
  }
}

}  // namespace

Audio read_audio(const std::string& path, int64_t rate) {
  SF_INFO info{};
  const SoundFile file = open_sound(path, info);
  Audio out{.samples = {}, .rate = rate, .file_rate = info.samplerate, .channels = info.channels};
  const double most = kMaxHours * 3600 * static_cast<double>(rate);
  std::optional<Resampler> resampler;
  if (out.file_rate != rate) resampler.emplace(out.file_rate, rate);
  constexpr int64_t kFrames = 16384;
  std::vector<float> block(static_cast<size_t>(kFrames * out.channels)), mono;
  for (;;) {
    const sf_count_t read = sf_readf_float(file.get(), block.data(), kFrames);
    if (read <= 0) break;
    mono.clear();
    mix_down(std::span(block).first(static_cast<size_t>(read * out.channels)), out.channels, mono,
             path);
    if (resampler) {
      resampler->resample(mono, out.samples);
    } else {
      out.samples.insert(out.samples.end(), mono.begin(), mono.end());
    }
    if (static_cast<double>(out.samples.size()) > most) {
      fail<FormatError>(path, "longer than {} hours; expected a shorter file", kMaxHours);
    }
  }
  if (sf_error(file.get()) != SF_ERR_NO_ERROR) {
    fail<FormatError>(path, "damaged: {}", sf_strerror(file.get()));
  }
  if (resampler) resampler->finish(out.samples);
  if (out.samples.empty()) fail<FormatError>(path, "has no samples");
  return out;
}

}  // namespace weft::data
