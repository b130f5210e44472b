#include "weft/predict/transcription/transcriber.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "weft/core/error.h"
#include "weft/core/log.h"
#include "weft/core/parallel.h"
#include "weft/core/text/counted.h"
#include "weft/data/audio/silence.h"
#include "weft/data/audio/sound_frames.h"
#include "weft/decode/options.h"
#include "weft/decode/search/ctc_search.h"
#include "weft/decode/search/joint_steps.h"
#include "weft/decode/search/search.h"
#include "weft/model_file/transcriber.h"
#include "weft/predict/batches.h"
#include "weft/predict/path_lines.h"

namespace weft::predict {
namespace {

double ctc_weight_of(const models::TranscriberOptions& model, std::optional<double> given) {
  if (given && !model.decoder.is<models::JointDecoder>()) {
    fail<OptionError>("--ctc-weight", "is for models of --decoder joint; the model's is {}",
                      model.decoder.name());
  }
  return given ? *given : model.ctc_weight();
}

bool is_space(char c) { return c == ' ' || c == '\t'; }

}  // namespace

std::vector<TimedWord> spread_words(std::string_view text, double begin, double end) {
  std::vector<TimedWord> out;
  const auto time = [&](size_t i) {
    return begin + (end - begin) * static_cast<double>(i) / static_cast<double>(text.size());
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_space(text[i])) continue;
    if (i == 0 || is_space(text[i - 1])) out.push_back({.text = {}, .begin = time(i)});
    out.back().text += text[i];
    out.back().end = time(i + 1);
  }
  return out;
}

std::vector<TimedWord> timed_words(const data::Tokeniser& tokeniser,
                                   std::span<const int32_t> tokens,
                                   std::span<const std::pair<double, double>> spans) {
  std::vector<TimedWord> out;
  bool in_word = false;
  std::string before;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::string text = tokeniser.decode(tokens.first(i + 1));
    for (const char c : std::string_view(text).substr(std::min(before.size(), text.size()))) {
      if (is_space(c)) {
        in_word = false;
        continue;
      }
      if (!in_word) out.push_back({.text = {}, .begin = spans[i].first});
      in_word = true;
      out.back().text += c;
      out.back().end = spans[i].second;
    }
    before = text;
  }
  return out;
}

Transcriber::Transcriber(const model_file::TranscriberSession& session,
                         const TranscriberOptions& options, bool times_words)
    : session_(session),
      options_(options),
      times_words_(times_words),
      ctc_weight_(ctc_weight_of(session.model.options, options.ctc_weight)),
      log_mel_(session.assets.log_mel) {
  const data::Tokeniser& tokeniser = session.tokeniser();
  forbidden_ = {tokeniser.unknown_id()};
  if (tokeniser.begin_id() != tokeniser.end_id()) forbidden_.push_back(tokeniser.begin_id());
}

int64_t Transcriber::longest_piece() const {
  const auto most = static_cast<int64_t>(options_.max_seconds / seconds_of_frames(1));
  return std::min(session_.model.options.frame_capacity(), std::max<int64_t>(most, 1));
}

bool Transcriber::knows_times() const { return session_.model.options.has_ctc(); }

double Transcriber::seconds_of_frames(double frames) const {
  return frames * session_.assets.log_mel.frame_shift / 1000;
}

void Transcriber::add_pieces(size_t sound, std::span<const float> frames, Sounds& out,
                             Report& report) const {
  const int64_t bins = session_.model.dims.bins, count = std::ssize(frames) / bins;
  std::vector<int64_t> ends = data::cuts_at_silence(frames, bins, longest_piece());
  ends.push_back(count);
  for (int64_t begin = 0; const int64_t end : ends) {
    if (end > begin) {
      out.add(sound, {.frames = frames.subspan(static_cast<size_t>(begin * bins),
                                               static_cast<size_t>((end - begin) * bins)),
                      .begin = seconds_of_frames(static_cast<double>(begin)),
                      .end = seconds_of_frames(static_cast<double>(end))});
    }
    begin = end;
  }
  if (count > longest_piece()) report.add(Note::kWindows);
}

Transcriber::Sounds Transcriber::prepare(std::span<const Line> lines, Report& report) const {
  Sounds out(lines.size(), report);
  out.seconds.resize(lines.size());
  out.frames.resize(lines.size());
  std::vector<std::optional<Fault>> faults =
      read_paths(lines, out.first, [&](size_t i, const std::string& path) {
        data::SoundFrames sound = data::read_frames(path, log_mel_);
        out.seconds[i] = sound.seconds;
        out.frames[i] = std::move(sound.frames);
      });
  for (size_t i = 0; i < lines.size(); ++i) {
    if (faults[i]) {
      out.add_fault(i, *faults[i], report);
    } else {
      add_pieces(i, out.frames[i], out, report);
    }
  }
  return out;
}

Transcriber::Sounds Transcriber::prepare(std::span<const std::vector<float>> sounds,
                                         Report& report) const {
  Sounds out(sounds.size(), report);
  for (size_t i = 0; i < sounds.size(); ++i) {
    const int64_t rows = std::ssize(sounds[i]) / session_.model.dims.bins;
    out.seconds.push_back(seconds_of_frames(static_cast<double>(rows)));
    add_pieces(i, sounds[i], out, report);
  }
  return out;
}

// Pieces that are recognised together, and what becomes of them.
struct Transcriber::Batch {
  std::span<Request* const> pieces;
  nn::Memory memory;
  Tensor log_probabilities;                  // [M, V] of CTC; empty where nothing reads them
  std::vector<std::vector<int32_t>> tokens;  // of each piece
  std::vector<bool> is_finite;

  // The rows of a piece.
  Tensor rows_of(const Tensor& x, size_t piece) const {
    const Segments& rows = memory.rows->segments;
    const auto b = static_cast<int64_t>(piece);
    return x.row_range(rows.begin(b), rows.end(b));
  }
};

void Transcriber::search_ctc(Batch& batch) const {
  const decode::CtcSearch search{session_.tokeniser().end_id(), options_.beam_size, forbidden_};
  parallel_for(std::ssize(batch.pieces), 1, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      const Tensor rows = batch.rows_of(batch.log_probabilities, i);
      batch.tokens[i] = decode::search_ctc(rows, search).front().tokens;
    }
  });
}

void Transcriber::search_decoder(Batch& batch) const {
  const models::Transcriber& model = session_.model;
  std::unique_ptr<decode::StepModel> steps;
  if (ctc_weight_ > 0) {
    steps = std::make_unique<decode::JointSteps>(model, ctc_weight_);
  } else {
    steps = std::make_unique<decode::DecoderSteps>(decode::decoder_steps(model));
  }
  decode::DecodeOptions options;
  options.beam_size = options_.beam_size;
  options.normalize = options_.normalize ? *options_.normalize : ctc_weight_ > 0 ? 0 : 1;
  options.max_length_factor = 1;
  std::vector<decode::Request> requests;
  for (size_t i = 0; i < batch.pieces.size(); ++i) {
    decode::Request& request = requests.emplace_back();
    request.memory = batch.rows_of(batch.memory.states, i);
    request.forbidden = forbidden_;
    decode::apply_options(options, steps->traits(), request);
  }
  const std::vector<decode::NBest> found =
      decode::search(*steps, std::move(requests), {.slots = options_.mini_batch});
  for (size_t i = 0; i < found.size(); ++i) {
    batch.tokens[i] = found[i].front().tokens;
    batch.is_finite[i] = found[i].front().is_finite;
  }
}

std::vector<TimedWord> Transcriber::words_of(const Batch& batch, size_t piece) const {
  const data::Tokeniser& tokeniser = session_.tokeniser();
  const Request& sound = *batch.pieces[piece];
  const std::vector<int32_t>& tokens = batch.tokens[piece];
  const auto spread = [&] {
    return spread_words(tokeniser.decode(tokens), sound.begin, sound.end);
  };
  if (!knows_times()) return spread();
  const auto rows =
      decode::align_ctc(batch.rows_of(batch.log_probabilities, piece), tokens, tokeniser.end_id());
  if (rows.empty()) return spread();
  const auto frames = static_cast<double>(int64_t{1} << session_.model.options.subsampler.layers);
  const auto time = [&](int64_t row) {
    return std::min(sound.end, sound.begin + seconds_of_frames(frames * static_cast<double>(row)));
  };
  std::vector<std::pair<double, double>> spans;
  spans.reserve(rows.size());
  for (const auto& [from, to] : rows) spans.emplace_back(time(from), time(to));
  return timed_words(tokeniser, tokens, spans);
}

std::vector<Transcriber::Answer> Transcriber::run_batch(std::span<Request* const> pieces) const {
  data::Features frames;
  frames.width = session_.model.dims.bins;
  for (const Request* piece : pieces) {
    frames.values.insert(frames.values.end(), piece->frames.begin(), piece->frames.end());
    frames.segments.append(std::ssize(piece->frames) / frames.width);
  }
  nn::Context context;
  Batch batch{
      .pieces = pieces,
      .memory = session_.model.encode(session_.assets.normalised(std::move(frames)), context),
      .log_probabilities = {},
      .tokens = std::vector<std::vector<int32_t>>(pieces.size()),
      .is_finite = std::vector<bool>(pieces.size(), true)};
  const bool is_ctc = ctc_weight_ == 1;
  if (is_ctc || (times_words_ && knows_times())) {
    batch.log_probabilities = session_.model.ctc_log_probabilities(batch.memory.states);
  }
  is_ctc ? search_ctc(batch) : search_decoder(batch);
  const Tensor& scores = batch.log_probabilities ? batch.log_probabilities : batch.memory.states;
  std::vector<Answer> out(pieces.size());
  for (size_t i = 0; i < pieces.size(); ++i) {
    out[i].is_finite = batch.is_finite[i] &&
                       std::isfinite(sum_of_squares(batch.rows_of(scores, i).to(DType::kF32)));
    if (!out[i].is_finite) continue;
    out[i].text = session_.tokeniser().decode(batch.tokens[i]);
    if (times_words_) out[i].words = words_of(batch, i);
  }
  return out;
}

std::vector<Transcriber::Answer> Transcriber::run(std::span<Request> requests) const {
  std::vector<Answer> out(requests.size());
  const auto length = [&](size_t i) { return requests[i].frames.size(); };
  const auto run_together = [&](std::span<const size_t> numbers) {
    std::vector<Request*> pieces;
    for (const size_t i : numbers) pieces.push_back(&requests[i]);
    std::vector<Answer> found = run_batch(pieces);
    for (size_t b = 0; b < numbers.size(); ++b) out[numbers[b]] = std::move(found[b]);
  };
  for_each_batch(requests.size(), options_.mini_batch, length, run_together);
  return out;
}

std::vector<Transcript> Transcriber::finish(const Sounds& prepared, std::span<Answer> answers,
                                            Report& report) const {
  std::vector<Transcript> out(prepared.inputs.size());
  prepared.for_each_input(answers, [&](size_t i, std::span<Answer> pieces) {
    Transcript& transcript = out[i];
    transcript.seconds = prepared.seconds[i];
    transcript.fault = prepared.inputs[i].fault;
    if (!std::ranges::all_of(pieces, &Answer::is_finite)) {
      transcript.fault = prepared.not_finite(i, report);
      return;
    }
    for (Answer& piece : pieces) {
      if (!piece.text.empty() && !transcript.text.empty()) transcript.text += ' ';
      transcript.text += piece.text;
      std::ranges::move(piece.words, std::back_inserter(transcript.words));
    }
    if (!transcript.fault && transcript.text.empty()) report.add(Note::kNoText);
  });
  return out;
}

void Transcriber::warn_of_empty_texts(const Report& report) const {
  const int64_t read = report.inputs - report.problems() - report.count(FaultKind::kEmpty);
  const int64_t empty = report.count(Note::kNoText);
  if (2 * empty <= read) return;
  const bool depends_on_loudness = session_.assets.frame_norm.is<data::GlobalNorm>();
  log::warn("{} of {} gave no text; are they {}speech of the language of training?", empty,
            counted(read, "sound"),
            depends_on_loudness ? "as loud as those of training, and " : "");
}

}  // namespace weft::predict
