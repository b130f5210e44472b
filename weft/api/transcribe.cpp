#include "weft/transcribe.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "weft/api/inputs.h"
#include "weft/api/loaded_model.h"
#include "weft/api/predictor_options.h"
#include "weft/api/read_options.h"
#include "weft/data/audio/resampler.h"
#include "weft/predict/transcription/live_transcriber.h"

namespace weft {
namespace {

// At the rate that the model reads.
std::vector<float> samples_of(const Sound& sound, int64_t rate) {
  for (const float sample : sound.samples) {
    if (!std::isfinite(sample)) fail<NumericError>("sound", "a sample is not a finite number");
  }
  const auto from = static_cast<int64_t>(std::lround(sound.rate));
  if (!(sound.rate >= 1) || static_cast<double>(from) != sound.rate) {
    fail<OptionError>("rate", "expected a whole number of samples a second, got {}", sound.rate);
  }
  if (from == rate) return sound.samples;
  std::vector<float> out;
  data::Resampler resampler(from, rate);
  resampler.resample(sound.samples, out);
  resampler.finish(out);
  return out;
}

}  // namespace

using api::TranscriberOptions;

struct Transcriber::State {
  model_file::TranscriberSession session;
  predict::Transcriber transcriber;

  State(const Model& model, const TranscriberOptions& options)
      : session(api::session_of<model_file::TranscriberSession>(model)),
        transcriber(session, options.search, options.words) {}

  int64_t rate() const { return transcriber.log_mel().options().sample_rate; }
};

Transcriber::Transcriber(const Model& model, const Options& options)
    : state_(std::make_shared<const State>(model, api::read_options<TranscriberOptions>(options))) {
}

const OptionSchema& Transcriber::schema() { return api::schema_of<TranscriberOptions>(); }

std::vector<Transcript> Transcriber::transcribe(std::span<const std::string> paths,
                                                Report* report) const {
  return transcribe(api::lines_of(paths), report);
}

std::vector<Transcript> Transcriber::transcribe(std::span<const Line> lines, Report* report) const {
  return api::predict_all(state_->transcriber, lines, report);
}

std::vector<Transcript> Transcriber::transcribe(std::span<const Sound> sounds,
                                                Report* report) const {
  const predict::Transcriber& transcriber = state_->transcriber;
  std::vector<std::vector<float>> frames;
  frames.reserve(sounds.size());
  for (const Sound& sound : sounds) {
    frames.push_back(transcriber.log_mel()(samples_of(sound, state_->rate())));
  }
  std::vector<Transcript> out = api::predict_all(transcriber, frames, report);
  for (size_t i = 0; i < out.size(); ++i) {  // frames leave out what no whole one reads
    out[i].seconds = static_cast<double>(sounds[i].samples.size()) / sounds[i].rate;
  }
  return out;
}

bool Transcriber::knows_times() const { return state_->transcriber.knows_times(); }

void Transcriber::warn_of_empty_texts(const Report& report) const {
  state_->transcriber.warn_of_empty_texts(report);
}

struct LiveTranscriber::State {
  Transcriber transcriber;
  predict::LiveTranscriber live;
  std::optional<data::Resampler> resampler;
  std::vector<float> resampled;

  State(const Transcriber& given, const predict::Transcriber& runs, double step)
      : transcriber(given), live(runs, step) {}

  // Those at the model's rate that these samples, or the end of the sound, complete.
  std::span<const float> at_model_rate(std::span<const float> samples, bool is_end) {
    if (!resampler) return samples;
    resampled.clear();
    resampler->resample(samples, resampled);
    if (is_end) resampler->finish(resampled);
    return resampled;
  }
};

LiveTranscriber::LiveTranscriber(const Transcriber& transcriber, int64_t rate, double step) {
  require_option(rate >= 0, "rate", "expected samples a second, or 0");
  require_option(step > 0, "step", "expected seconds above 0");
  const Transcriber::State& state = *transcriber.state_;
  state_ = std::make_unique<State>(transcriber, state.transcriber, step);
  if (rate > 0 && rate != state.rate()) state_->resampler.emplace(rate, state.rate());
}

LiveTranscriber::~LiveTranscriber() = default;
LiveTranscriber::LiveTranscriber(LiveTranscriber&&) noexcept = default;
LiveTranscriber& LiveTranscriber::operator=(LiveTranscriber&&) noexcept = default;

std::vector<TimedWord> LiveTranscriber::add(std::span<const float> samples) {
  return state_->live.add(state_->at_model_rate(samples, false));
}

std::vector<TimedWord> LiveTranscriber::finish(Report* report) {
  Report unread;
  std::vector<TimedWord> out = state_->live.add(state_->at_model_rate({}, true));
  std::ranges::move(state_->live.finish(report != nullptr ? *report : unread),
                    std::back_inserter(out));
  return out;
}

double LiveTranscriber::seconds() const { return state_->live.seconds(); }

}  // namespace weft
