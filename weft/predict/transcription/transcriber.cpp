#include "weft/predict/transcription/transcriber.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <numeric>

#include "weft/core/chunks.h"
#include "weft/core/error.h"
#include "weft/core/parallel.h"
#include "weft/data/audio/silence.h"
#include "weft/data/audio/sound_frames.h"
#include "weft/decode/search/ctc_search.h"
#include "weft/decode/search/joint_steps.h"
#include "weft/decode/search/search.h"
#include "weft/decode/sentences.h"
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

std::vector<Transcriber::Piece> Transcriber::cut(std::span<const std::vector<float>> sounds) const {
  const int64_t bins = session_.model.sizes.bins;
  const int64_t capacity = longest_piece();
  std::vector<Piece> out;
  for (size_t s = 0; s < sounds.size(); ++s) {
    const std::span<const float> frames = sounds[s];
    std::vector<int64_t> ends = data::cuts_at_silence(frames, bins, capacity);
    ends.push_back(std::ssize(frames) / bins);
    for (int64_t begin = 0; const int64_t end : ends) {
      if (end > begin) {
        out.push_back({.sound = s,
                       .frames = frames.subspan(static_cast<size_t>(begin * bins),
                                                static_cast<size_t>((end - begin) * bins)),
                       .begin = seconds_of_frames(static_cast<double>(begin)),
                       .end = seconds_of_frames(static_cast<double>(end))});
      }
      begin = end;
    }
  }
  return out;
}

std::vector<TimedWord> Transcriber::time_words(const Piece& piece,
                                               const Tensor& log_probabilities) const {
  const data::Tokeniser& tokeniser = session_.tokeniser();
  const auto rows = decode::align_ctc(log_probabilities, piece.tokens, tokeniser.end_id());
  if (rows.empty()) return spread_words(tokeniser.decode(piece.tokens), piece.begin, piece.end);
  const auto frames = static_cast<double>(int64_t{1} << session_.model.options.subsampler.layers);
  std::vector<std::pair<double, double>> spans;
  for (const auto& [from, to] : rows) {
    const auto time = [&](int64_t row) {
      return std::min(piece.end,
                      piece.begin + seconds_of_frames(frames * static_cast<double>(row)));
    };
    spans.emplace_back(time(from), time(to));
  }
  return timed_words(tokeniser, piece.tokens, spans);
}

void Transcriber::search(std::span<Piece*> pieces, const nn::Memory& memory,
                         const Tensor& log_probabilities) const {
  const models::Transcriber& model = session_.model;
  const Segments& rows = memory.rows->segments;
  if (ctc_weight_ == 1) {
    const decode::CtcSearch search{session_.tokeniser().end_id(), options_.beam_size, forbidden_};
    parallel_for(std::ssize(pieces), 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const Tensor own = log_probabilities.row_range(rows.begin(i), rows.end(i));
        pieces[static_cast<size_t>(i)]->tokens = decode::search_ctc(own, search).front().tokens;
      }
    });
    return;
  }
  std::unique_ptr<decode::StepModel> steps;
  if (ctc_weight_ > 0) {
    steps = std::make_unique<decode::JointSteps>(model, ctc_weight_);
  } else {
    steps = std::make_unique<decode::Seq2SeqSteps>(model.seq2seq);
  }
  decode::DecodeOptions options;
  options.beam_size = options_.beam_size;
  options.normalize = options_.normalize ? *options_.normalize : ctc_weight_ > 0 ? 0 : 1;
  options.max_length_factor = 1;
  std::vector<decode::Request> requests;
  for (size_t i = 0; i < pieces.size(); ++i) {
    decode::Request& request = requests.emplace_back();
    const auto b = static_cast<int64_t>(i);
    request.memory = memory.states.row_range(rows.begin(b), rows.end(b));
    request.forbidden = forbidden_;
    decode::apply_options(options, steps->traits(), request);
  }
  const std::vector<decode::NBest> found =
      decode::search(*steps, std::move(requests), {.slots = options_.mini_batch});
  for (size_t i = 0; i < pieces.size(); ++i) {
    pieces[i]->tokens = found[i].front().tokens;
    if (!found[i].front().is_finite) pieces[i]->is_finite = false;
  }
}

void Transcriber::recognise_together(std::span<Piece*> pieces) const {
  data::Features frames;
  frames.width = session_.model.sizes.bins;
  for (const Piece* piece : pieces) {
    frames.values.insert(frames.values.end(), piece->frames.begin(), piece->frames.end());
    frames.segments.append(std::ssize(piece->frames) / frames.width);
  }
  nn::Context context;
  const nn::Memory memory =
      session_.model.encode(session_.assets.normalised(std::move(frames)), context);
  Tensor log_probabilities;
  if ((times_words_ && knows_times()) || ctc_weight_ == 1) {
    log_probabilities = session_.model.ctc_log_probabilities(memory.states);
  }
  search(pieces, memory, log_probabilities);
  const Segments& rows = memory.rows->segments;
  for (size_t i = 0; i < pieces.size(); ++i) {
    Piece& piece = *pieces[i];
    const auto b = static_cast<int64_t>(i);
    const Tensor& scores = log_probabilities ? log_probabilities : memory.states;
    const Tensor own = scores.row_range(rows.begin(b), rows.end(b)).to(DType::kF32);
    if (!std::isfinite(sum_of_squares(own))) piece.is_finite = false;
    if (!times_words_ || !piece.is_finite) continue;
    piece.words =
        knows_times()
            ? time_words(piece, log_probabilities.row_range(rows.begin(b), rows.end(b)))
            : spread_words(session_.tokeniser().decode(piece.tokens), piece.begin, piece.end);
  }
}

std::vector<Transcript> Transcriber::transcribe(std::span<const std::vector<float>> sounds) const {
  std::vector<Piece> pieces = cut(sounds);
  std::vector<Piece*> sorted;
  sorted.reserve(pieces.size());
  for (Piece& piece : pieces) sorted.push_back(&piece);
  std::ranges::stable_sort(sorted, std::greater(), [](const Piece* p) { return p->frames.size(); });
  for_each_chunk(std::span(sorted), options_.mini_batch,
                 [&](std::span<Piece*> batch, size_t) { recognise_together(batch); });
  std::vector<Transcript> out(sounds.size());
  for (Piece& piece : pieces) {
    Transcript& transcript = out[piece.sound];
    if (!piece.is_finite) transcript.is_finite = false;
    const std::string text = session_.tokeniser().decode(piece.tokens);
    if (!text.empty() && !transcript.text.empty()) transcript.text += ' ';
    transcript.text += text;
    std::ranges::move(piece.words, std::back_inserter(transcript.words));
  }
  for (Transcript& transcript : out) {
    if (!transcript.is_finite) transcript = {.text = {}, .is_finite = false};
  }
  return out;
}

std::vector<Transcript> Transcriber::transcribe(std::span<const Line> lines) {
  std::vector<std::vector<float>> frames(lines.size());
  std::vector<double> seconds(lines.size());
  const auto read = [&](size_t i, const std::string& path) {
    data::SoundFrames sound = data::read_frames(path, log_mel_);
    seconds[i] = sound.seconds;
    frames[i] = std::move(sound.frames);
  };
  std::vector<std::optional<std::string>> faults = read_paths(lines, report_, read);
  std::vector<Transcript> out = transcribe(frames);
  for (size_t i = 0; i < lines.size(); ++i) {
    out[i].seconds = seconds[i];
    out[i].fault = std::move(faults[i]);
    const int64_t rows = std::ssize(frames[i]) / session_.model.sizes.bins;
    if (rows > longest_piece()) ++report_.split;
    if (!out[i].is_finite) {
      report_.not_finite.add(report_.lines - std::ssize(lines) + static_cast<int64_t>(i) + 1);
    } else if (!out[i].fault && out[i].text.empty()) {
      ++empty_texts_;
    }
  }
  return out;
}

}  // namespace weft::predict
