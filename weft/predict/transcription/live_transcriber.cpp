#include "weft/predict/transcription/live_transcriber.h"

#include <algorithm>
#include <cmath>

#include "weft/data/audio/silence.h"

namespace weft::predict {

LiveTranscriber::LiveTranscriber(const Transcriber& transcriber, double step)
    : transcriber_(transcriber),
      stream_(transcriber.log_mel()),
      rate_(static_cast<double>(transcriber.log_mel().options().sample_rate)),
      step_(std::max<int64_t>(1, std::llround(step * rate_))) {}

std::vector<TimedWord> LiveTranscriber::add(std::span<const float> samples) {
  std::vector<TimedWord> out;
  while (!samples.empty()) {
    const int64_t wanted = step_ - samples_ % step_;
    const auto piece = samples.first(static_cast<size_t>(std::min(wanted, std::ssize(samples))));
    samples = samples.subspan(piece.size());
    stream_.add(piece, frames_);
    samples_ += std::ssize(piece);
    if (samples_ % step_ == 0) end_window(out);
  }
  return out;
}

void LiveTranscriber::end_window(std::vector<TimedWord>& out) {
  end_pieces(out);
  const int64_t count = std::ssize(frames_) / transcriber_.log_mel().options().mel_bins;
  if (count > transcriber_.longest_piece()) return;  // it is cut with the next frames
  std::vector<TimedWord> now = words_of(frames_);
  const std::span<const TimedWord> open = not_given_out(now), before = not_given_out(before_);
  const auto agreed = std::ranges::mismatch(open, before, {}, &TimedWord::text, &TimedWord::text);
  give_out({open.begin(), agreed.in1}, out);
  before_ = std::move(now);
}

std::vector<TimedWord> LiveTranscriber::finish(Report& report) {
  std::vector<TimedWord> out;
  end_pieces(out);
  const std::vector<TimedWord> words = words_of(frames_);
  give_out(not_given_out(words), out);
  frames_.clear();
  if (!is_finite_) {
    report.add(not_finite_fault(), report.inputs);
  } else if (!has_text_) {
    report.add(Note::kNoText);
  }
  ++report.inputs;
  return out;
}

// A cut is where it would be in a file: it depends on some frames behind the longest piece.
void LiveTranscriber::end_pieces(std::vector<TimedWord>& out) {
  const int64_t bins = transcriber_.log_mel().options().mel_bins;
  const int64_t most = transcriber_.longest_piece();
  while (std::ssize(frames_) / bins > most + data::kFramesAround) {
    const int64_t end = data::cuts_at_silence(frames_, bins, most).front();
    const auto piece = std::span(frames_).first(static_cast<size_t>(end * bins));
    const std::vector<TimedWord> words = words_of(piece);
    give_out(not_given_out(words), out);
    frames_.erase(frames_.begin(), frames_.begin() + end * bins);
    first_frame_ += end;
    before_.clear();
    given_ = 0;
  }
}

std::vector<TimedWord> LiveTranscriber::words_of(std::span<const float> frames) {
  const std::vector<float> sound(frames.begin(), frames.end());
  Report report;
  std::vector<TimedWord> out = predict(transcriber_, std::span(&sound, 1), report).front().words;
  is_finite_ = is_finite_ && report.count(FaultKind::kNotFinite) == 0;
  const double begin = transcriber_.seconds_of_frames(static_cast<double>(first_frame_));
  for (TimedWord& word : out) {
    word.begin += begin;
    word.end += begin;
  }
  return out;
}

// A window may have another number of words than the one before it where it hears the same: times
// tell which they are. Times that are spread evenly do not.
std::span<const TimedWord> LiveTranscriber::not_given_out(std::span<const TimedWord> words) const {
  if (!transcriber_.knows_times()) return words.subspan(std::min(given_, words.size()));
  const auto is_new = [&](const TimedWord& w) { return (w.begin + w.end) / 2 > given_end_; };
  return {std::ranges::find_if(words, is_new), words.end()};
}

void LiveTranscriber::give_out(std::span<const TimedWord> words, std::vector<TimedWord>& out) {
  if (words.empty()) return;
  out.insert(out.end(), words.begin(), words.end());
  has_text_ = true;
  given_ += words.size();
  given_end_ = std::max(given_end_, words.back().end);
}

}  // namespace weft::predict
