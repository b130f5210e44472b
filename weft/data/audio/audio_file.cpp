#include "weft/data/audio/audio_file.h"

#include <sndfile.h>
#include <unistd.h>

#include <cmath>
#include <optional>
#include <span>

#include "weft/core/error.h"
#include "weft/core/files/open_file.h"
#include "weft/data/audio/resampler.h"
#include "weft/data/audio/sound_format.h"

namespace weft::data {
namespace {

constexpr int64_t kMostChannels = 64, kMostRate = 1'000'000;
constexpr int64_t kBlock = 16384;  // samples of a channel

// A regular file of a known format.
int open_descriptor(const std::string& path) {
  const int descriptor = open_for_reading(path, Pipes::kRefused);
  try {
    check_sound_format(descriptor, path);
  } catch (...) {
    ::close(descriptor);
    throw;
  }
  return descriptor;
}

}  // namespace

struct AudioFile::State {
  State(const std::string& from, int64_t to_rate)
      : path(from),
        rate(to_rate),
        file(sf_open_fd(open_descriptor(path), SFM_READ, &info, SF_TRUE), sf_close) {
    if (!file) fail<FormatError>(path, "{} expected {}", sf_strerror(nullptr), kSoundFormats);
    if (info.channels < 1 || info.channels > kMostChannels || info.samplerate < 1 ||
        info.samplerate > kMostRate) {
      fail<FormatError>(path,
                        "{} channels of {} samples a second; expected at most {} and at most {}",
                        info.channels, info.samplerate, kMostChannels, kMostRate);
    }
    interleaved.resize(static_cast<size_t>(kBlock * info.channels));
    if (info.samplerate != rate) resampler.emplace(info.samplerate, rate);
  }

  // Appends the means over the channels of interleaved samples.
  void mix_down(std::span<const float> samples, std::vector<float>& out) const {
    const auto step = static_cast<size_t>(info.channels);
    for (size_t i = 0; i < samples.size(); i += step) {
      float sum = 0;
      for (size_t c = 0; c < step; ++c) sum += samples[i + c];
      if (!std::isfinite(sum)) {
        fail<FormatError>(path, "a sample is not finite; expected numbers from -1 to 1");
      }
      out.push_back(sum / static_cast<float>(info.channels));
    }
  }

  // Appends what a block of the file gives, with a resampler perhaps nothing; false at the end.
  bool read_block(std::vector<float>& out) {
    const sf_count_t read = sf_readf_float(file.get(), interleaved.data(), kBlock);
    if (read <= 0) return false;
    const auto samples = std::span(interleaved).first(static_cast<size_t>(read * info.channels));
    if (!resampler) {
      mix_down(samples, out);
      return true;
    }
    mono.clear();
    mix_down(samples, mono);
    resampler->resample(mono, out);
    return true;
  }

  void finish(std::vector<float>& out) {
    is_finished = true;
    if (sf_error(file.get()) != SF_ERR_NO_ERROR) {
      fail<FormatError>(path, "damaged: {}", sf_strerror(file.get()));
    }
    if (resampler) resampler->finish(out);
  }

  // Counts what was appended.
  void count(size_t appended) {
    appended_samples += static_cast<int64_t>(appended);
    if (seconds() > kMaxHours * 3600) {
      fail<FormatError>(path, "longer than {} hours; expected a shorter file", kMaxHours);
    }
    if (is_finished && appended_samples == 0) fail<FormatError>(path, "has no samples");
  }
  double seconds() const {
    return static_cast<double>(appended_samples) / static_cast<double>(rate);
  }

  std::string path;
  int64_t rate;
  SF_INFO info{};
  std::unique_ptr<SNDFILE, int (*)(SNDFILE*)> file;
  std::optional<Resampler> resampler;
  std::vector<float> interleaved, mono;
  int64_t appended_samples = 0;
  bool is_finished = false;
};

AudioFile::AudioFile(const std::string& path, int64_t rate)
    : state_(std::make_unique<State>(path, rate)) {}
AudioFile::~AudioFile() = default;
AudioFile::AudioFile(AudioFile&&) noexcept = default;
AudioFile& AudioFile::operator=(AudioFile&&) noexcept = default;

bool AudioFile::read(std::vector<float>& out) {
  const size_t before = out.size();
  while (!state_->is_finished && out.size() == before) {
    if (!state_->read_block(out)) state_->finish(out);
  }
  state_->count(out.size() - before);
  return out.size() > before;
}

double AudioFile::seconds() const { return state_->seconds(); }
int64_t AudioFile::file_rate() const { return state_->info.samplerate; }
int64_t AudioFile::channels() const { return state_->info.channels; }

}  // namespace weft::data
