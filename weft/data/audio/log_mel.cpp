#include "weft/data/audio/log_mel.h"

#include <kiss_fftr.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "weft/core/error.h"

namespace weft::data {
namespace {

constexpr float kPreEmphasis = 0.97f;
constexpr float kInteger = 32768;  // the loudest sample of 16 bits

int64_t transform_size(const LogMelOptions& o) {
  return static_cast<int64_t>(
      std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(o.window(), 2))));
}

std::vector<MelFilter> make_filters(const LogMelOptions& o) {
  const int64_t bins = transform_size(o) / 2;
  const double width = static_cast<double>(o.sample_rate) / static_cast<double>(2 * bins);
  const double low = mel_of(kLowestFrequency), step = o.mel_step();
  std::vector<MelFilter> out(static_cast<size_t>(o.mel_bins));
  for (int64_t m = 0; m < o.mel_bins; ++m) {
    MelFilter& filter = out[static_cast<size_t>(m)];
    const double left = low + static_cast<double>(m) * step, middle = left + step,
                 right = middle + step;
    for (int64_t i = 0; i < bins; ++i) {
      const double mel = mel_of(width * static_cast<double>(i));
      if (mel <= left || mel >= right) continue;
      if (filter.weights.empty()) filter.first = i;
      filter.weights.push_back(
          static_cast<float>(mel <= middle ? (mel - left) / step : (right - mel) / step));
    }
  }
  return out;
}

std::vector<float> povey_window(int64_t size) {
  std::vector<float> out;
  for (int64_t i = 0; i < size; ++i) {
    const double angle =
        2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(size - 1);
    out.push_back(static_cast<float>(std::pow(0.5 - 0.5 * std::cos(angle), 0.85)));
  }
  return out;
}

// The sum of term(i) for i < count as T, in eight partial sums that do not wait for each other.
template <class T, class Term>
T sum_of(size_t count, Term term) {
  constexpr size_t kSums = 8;
  T sums[kSums] = {};
  size_t i = 0;
  for (; i + kSums <= count; i += kSums) {
    for (size_t s = 0; s < kSums; ++s) sums[s] += term(i + s);
  }
  for (; i < count; ++i) sums[i % kSums] += term(i);
  return std::accumulate(std::begin(sums), std::end(sums), T{0});
}

struct FreeTransform {
  void operator()(kiss_fftr_cfg transform) const { kiss_fftr_free(transform); }
};
using Transform = std::unique_ptr<kiss_fftr_state, FreeTransform>;

}  // namespace

double mel_of(double frequency) { return 1127 * std::log1p(frequency / 700); }
double frequency_of(double mel) { return 700 * std::expm1(mel / 1127); }

struct LogMel::State {
  std::vector<float> window;
  std::vector<MelFilter> filters;
  int64_t size;  // of the transform
};

void LogMelOptions::check() const {
  if (window() < 2 || shift() < 1) {
    fail<OptionError>("--frame-length", "a frame of {} samples every {}; expected at least 2 and 1",
                      window(), shift());
  }
  const std::vector<MelFilter> filters = make_filters(*this);
  if (std::ranges::none_of(filters, [](const MelFilter& f) { return f.weights.empty(); })) return;
  fail<OptionError>("--mel-bins",
                    "{} bins are narrower than the {} of the spectrum; expected fewer, or a longer "
                    "--frame-length",
                    mel_bins, transform_size(*this) / 2);
}

LogMel::LogMel(const LogMelOptions& options) : options_(options) {
  options.check();
  state_ = std::make_unique<const State>(
      State{povey_window(options.window()), make_filters(options), transform_size(options)});
}
LogMel::~LogMel() = default;
LogMel::LogMel(LogMel&&) noexcept = default;
LogMel& LogMel::operator=(LogMel&&) noexcept = default;

std::vector<float> LogMel::operator()(std::span<const float> samples) const {
  const auto window = static_cast<size_t>(options_.window());
  const int64_t frames = options_.frames_of(std::ssize(samples));
  const Transform transform(kiss_fftr_alloc(static_cast<int>(state_->size), 0, nullptr, nullptr));
  std::vector<float> in(static_cast<size_t>(state_->size)), power(in.size() / 2 + 1), out;
  std::vector<kiss_fft_cpx> spectrum(power.size());
  out.reserve(static_cast<size_t>(frames * options_.mel_bins));
  for (int64_t n = 0; n < frames; ++n) {
    const auto frame = samples.subspan(static_cast<size_t>(n * options_.shift()), window);
    const auto sum = sum_of<double>(window, [&](size_t i) { return double{frame[i]}; });
    const auto mean = static_cast<float>(sum / static_cast<double>(window));
    const auto emphasised = [&](size_t i, size_t before) {
      return kInteger * (frame[i] - mean - kPreEmphasis * (frame[before] - mean)) *
             state_->window[i];
    };
    in[0] = emphasised(0, 0);
    for (size_t i = 1; i < window; ++i) in[i] = emphasised(i, i - 1);
    kiss_fftr(transform.get(), in.data(), spectrum.data());
    for (size_t i = 0; i < power.size(); ++i) {
      power[i] = spectrum[i].r * spectrum[i].r + spectrum[i].i * spectrum[i].i;
    }
    for (const MelFilter& filter : state_->filters) {
      const float* part = power.data() + filter.first;
      const auto energy = sum_of<float>(filter.weights.size(),
                                        [&](size_t i) { return filter.weights[i] * part[i]; });
      out.push_back(std::log(std::max(energy, std::numeric_limits<float>::epsilon())));
    }
  }
  return out;
}

}  // namespace weft::data
