#include "weft/inspect/kinds/transcriber.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "weft/data/audio/sound_frames.h"
#include "weft/data/images/png.h"
#include "weft/inspect/trace_maps.h"
#include "weft/ops/softmax.h"
#include "weft/predict/transcription/transcriber.h"

namespace weft::inspect {
namespace {

enum : size_t { kFrames, kDecoderInput, kDecoderOutput };  // the axes of an example
constexpr double kMostSeconds = 30;

// Log-mel frames [N, bins] as grey levels, the lowest bin at the bottom.
std::string spectrogram(std::span<const float> frames, int64_t bins) {
  const auto [low, high] = std::ranges::minmax(frames);
  const int64_t count = std::ssize(frames) / bins;
  data::Image out{.height = bins, .width = count, .channels = 1, .pixels = {}};
  out.pixels.resize(frames.size());
  const double range = std::max(1e-6, double{high} - low);
  for (int64_t n = 0; n < count; ++n) {
    for (int64_t bin = 0; bin < bins; ++bin) {
      const double level = (frames[static_cast<size_t>(n * bins + bin)] - double{low}) / range;
      out.pixels[static_cast<size_t>((bins - 1 - bin) * count + n)] =
          static_cast<uint8_t>(std::lround(255 * level));
    }
  }
  return data::encode_png(out);
}

struct Sound {
  std::vector<float> frames;  // [N, bins]
  double seconds = 0;
  bool is_cropped = false;
};

Sound read_sound(const model_file::TranscriberSession& session, const std::string& path) {
  const data::LogMelOptions& options = session.assets.log_mel;
  Sound out;
  out.frames = data::read_frames(path, data::LogMel(options)).frames;
  const auto most = std::min(session.model.options.frame_capacity(),
                             static_cast<int64_t>(kMostSeconds * 1000 / options.frame_shift));
  const auto limit = static_cast<size_t>(most * options.mel_bins);
  out.is_cropped = out.frames.size() > limit;
  if (out.is_cropped) out.frames.resize(limit);
  const int64_t count = std::ssize(out.frames) / options.mel_bins;
  out.seconds = static_cast<double>(count) * options.frame_shift / 1000;
  return out;
}

// The decoder's part of an example: the probabilities of the text's tokens, and its axes.
void add_decoder(const models::Transcriber& model, const data::Tokeniser& tokeniser,
                 const nn::Memory& memory, const nn::Context& context, Example& out) {
  std::vector<int32_t> ids = tokeniser.encode(out.predictions.front().text);
  ids.push_back(tokeniser.end_id());
  data::Tokens target;
  target.add(ids);
  const auto begin = static_cast<int32_t>(model.dims.begin_id);
  const Tensor states = model.decoder.states(target, begin, memory, context);
  const Tensor log_p =
      ops::log_softmax(model.decoder.logits(states, context).to(DType::kF32), nullptr);
  Prediction& prediction = out.predictions.front();
  double sum = 0;
  for (size_t t = 0; t < ids.size(); ++t) {
    const auto row = static_cast<int64_t>(t);
    const double log_probability = log_p.row_range(row, row + 1).span<float>()[ids[t]];
    sum += log_probability;
    prediction.tokens.push_back(
        {.token = std::string(tokeniser.piece(ids[t])), .probability = std::exp(log_probability)});
  }
  prediction.log_probability = sum;
  out.axes.push_back(
      {"input", TokenAxis{data::pieces(tokeniser, models::shift_right(target, begin))}});
  out.axes.push_back({"output", TokenAxis{data::pieces(tokeniser, ids)}});
}

}  // namespace

Example inspect(const model_file::TranscriberSession& session, std::string_view path,
                const InspectionOptions& options) {
  Example out{.name = {}, .input = std::string(path)};
  const Sound sound = read_sound(session, out.input);
  const int64_t bins = session.model.dims.bins;
  if (sound.frames.empty()) {
    out.note = "shorter than a frame";
    return out;
  }
  if (sound.is_cropped) out.note = fmt::format("cropped to {:.1f} seconds", sound.seconds);
  const predict::Transcriber transcriber(session, {.beam_size = options.beam_size}, true);
  Report report;
  const Transcript transcript =
      predict::predict(transcriber, std::span(&sound.frames, 1), report).front();
  FrameAxis axis{.png = spectrogram(sound.frames, bins), .seconds = sound.seconds, .words = {}};
  for (const TimedWord& word : transcript.words) {
    axis.words.push_back({word.text, word.begin, word.end});
  }
  out.predictions.push_back({.text = transcript.text});
  nn::AttentionTrace trace;
  nn::Context context;
  context.observer = &trace;
  data::Features frames{sound.frames, bins, {}, {}};
  frames.segments.append(std::ssize(sound.frames) / bins);
  const nn::Memory memory =
      session.model.encode(session.assets.normalised(std::move(frames)), context);
  axis.count = memory.rows->count();
  out.axes.push_back({"frames", std::move(axis)});
  if (session.model.options.has_decoder()) {
    add_decoder(session.model, session.tokeniser(), memory, context, out);
  }
  out.attentions = maps_of(trace, 0, [](const nn::AttentionKey& key) {
    if (key.stack == "encoder") return MapAxes{kFrames, kFrames};
    return MapAxes{kDecoderOutput, key.role == nn::AttentionRole::kSelf ? kDecoderInput : kFrames};
  });
  return out;
}

std::vector<PositionMaps> positions_of(const model_file::TranscriberSession& session) {
  const models::Transcriber& model = session.model;
  const models::EncoderOptions& o = model.options.encoder;
  std::vector<StackPositions> stacks = {
      {"encoder", model.position, o, rows_of_tokens(o.table_capacity())}};
  const models::LayerOptions decoder = model.options.decoder_layers();
  if (model.decoder.is_present()) {
    stacks.push_back({"decoder", model.decoder.embedding.position, decoder,
                      rows_of_tokens(decoder.table_capacity())});
  }
  return position_maps(stacks);
}

void check_options(const model_file::TranscriberSession&, const InspectionOptions& options) {
  check_read(options, {"beam-size"}, "with a transcriber");
}

}  // namespace weft::inspect
