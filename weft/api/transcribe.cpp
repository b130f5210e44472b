#include "weft/transcribe.h"

#include <cmath>

#include "weft/api/inputs.h"
#include "weft/api/loaded_model.h"
#include "weft/api/read_options.h"
#include "weft/data/audio/resampler.h"
#include "weft/predict/transcription/transcriber.h"

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

struct Transcriber::State {
  model_file::TranscriberSession session;
  predict::Transcriber transcriber;

  State(const Model& model, const predict::TranscriberOptions& options)
      : session(api::session_of<model_file::TranscriberSession>(model)),
        transcriber(session, options, true) {}
};

Transcriber::Transcriber(const Model& model, const Options& options)
    : state_(std::make_shared<const State>(
          model, api::read_options<predict::TranscriberOptions>(options))) {}

std::vector<Transcript> Transcriber::transcribe(std::span<const std::string> paths,
                                                Report* report) const {
  return api::predict_all(state_->transcriber, api::lines_of(paths), report);
}

std::vector<Transcript> Transcriber::transcribe(std::span<const Sound> sounds,
                                                Report* report) const {
  const predict::Transcriber& transcriber = state_->transcriber;
  std::vector<std::vector<float>> frames;
  frames.reserve(sounds.size());
  for (const Sound& sound : sounds) {
    frames.push_back(
        transcriber.log_mel()(samples_of(sound, transcriber.log_mel().options().sample_rate)));
  }
  std::vector<Transcript> out = api::predict_all(transcriber, frames, report);
  for (size_t i = 0; i < out.size(); ++i) {  // frames leave out what no whole one reads
    out[i].seconds = static_cast<double>(sounds[i].samples.size()) / sounds[i].rate;
  }
  return out;
}

}  // namespace weft
