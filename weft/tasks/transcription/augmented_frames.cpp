#include "weft/tasks/transcription/augmented_frames.h"

#include "weft/data/audio/perturbation.h"

namespace weft::tasks {
namespace {

// From -1 to 1.
double draw(RandomStream& random) { return 2 * random.uniform() - 1; }

std::span<float> values_of(data::Features& frames, int64_t b) {
  return std::span(frames.values)
      .subspan(static_cast<size_t>(frames.segments.begin(b) * frames.width),
               static_cast<size_t>(frames.segments.length(b) * frames.width));
}

// Frames of one sound at another speed and loudness.
std::vector<float> perturbed(std::span<const float> frames, std::span<const int32_t> tokens,
                             const FrameAugmentation& with, RandomStream& random) {
  const TranscriptionOptions& o = with.options;
  std::vector<float> out(frames.begin(), frames.end());
  if (o.speed_perturbation > 0) {
    std::vector<float> other =
        data::with_speed(frames, with.assets.log_mel, 1 + o.speed_perturbation * draw(random));
    if (with.fits(std::ssize(other) / with.assets.log_mel.mel_bins, tokens)) out = std::move(other);
  }
  if (o.gain_perturbation > 0) data::change_gain(out, o.gain_perturbation * draw(random));
  return out;
}

}  // namespace

data::Batch augmented(data::Batch batch, const FrameAugmentation& with,
                      const nn::Context& context) {
  auto& frames = std::get<data::Features>(batch.fields[0]);
  if (!context.training) {
    frames = with.assets.normalised(std::move(frames));
    return batch;
  }
  const data::Tokens& tokens = batch.tokens(1);
  data::Features changed;
  changed.width = frames.width;
  changed.segments.first = frames.segments.first;
  std::vector<RandomStream> streams;
  for (int64_t b = 0; b < frames.examples(); ++b) {
    streams.push_back(nn::augmentation_stream(context, frames.segments, b));
    const std::span<const int32_t> text = tokens[b];
    const std::vector<float> sound =
        perturbed(values_of(frames, b), text.first(text.size() - 1), with, streams.back());
    changed.values.insert(changed.values.end(), sound.begin(), sound.end());
    changed.segments.append(std::ssize(sound) / changed.width);
  }
  frames = with.assets.normalised(std::move(changed));
  for (int64_t b = 0; b < frames.examples(); ++b) {
    data::spec_augment(values_of(frames, b), frames.width, with.options.spec_augment,
                       streams[static_cast<size_t>(b)]);
  }
  return batch;
}

}  // namespace weft::tasks
