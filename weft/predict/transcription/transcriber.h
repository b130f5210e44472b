// Sounds to texts by a trained transcriber.
#ifndef WEFT_PREDICT_TRANSCRIPTION_TRANSCRIBER_H_
#define WEFT_PREDICT_TRANSCRIPTION_TRANSCRIBER_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/data/audio/log_mel.h"
#include "weft/data/text/tokeniser.h"
#include "weft/options/fields.h"
#include "weft/predict/predictor.h"
#include "weft/transcribe.h"

namespace weft::model_file {
struct TranscriberSession;
}

namespace weft::predict {

struct TranscriberOptions {
  int64_t beam_size = 5;
  std::optional<double> ctc_weight = {};
  std::optional<double> normalize = {};
  double max_seconds = 30;
  int64_t mini_batch = 16;

  template <class V>
  void fields(V& v) {
    v("beam-size", beam_size,
      {.help = "hypotheses kept for each sound; 1: greedy search",
       .min = 1,
       .max = 1024,
       .letter = 'b'});
    v("ctc-weight", ctc_weight,
      {.help =
           "with a model of --decoder joint, the share of the CTC scores; 0: the decoder alone, "
           "1: CTC alone; auto: as in training",
       .min = 0,
       .max = 1});
    v("normalize", normalize,
      {.help = "divide a hypothesis's score by its length to this power; auto: 0 with CTC scores, "
               "which know the length, else 1",
       .min = 0,
       .max = 10});
    v("max-seconds", max_seconds,
      {.help = "a longer sound is cut where it is quiet, into pieces of at most this length",
       .min = 1,
       .max = 3600});
    v("mini-batch", mini_batch,
      {.help = "pieces of sound recognised at a time; changes speed and memory, never the text",
       .min = 1,
       .max = 1e5});
  }
};

class Transcriber {
 public:
  // Frames of a sound, short enough to be recognised together.
  struct Request {
    std::span<const float> frames;  // [N, bins] log-mel, not normalised
    double begin = 0, end = 0;      // seconds
  };
  struct Answer {
    std::string text;
    std::vector<TimedWord> words = {};
    bool is_finite = true;
  };
  using Result = Transcript;
  // Pieces of sounds, the seconds of each sound, and the frames of files.
  struct Sounds : Prepared<Request> {
    using Prepared::Prepared;
    std::vector<double> seconds = {};
    std::vector<std::vector<float>> frames = {};
  };

  // The session has to outlive it. With `times_words` transcripts have words. Throws OptionError
  // for --ctc-weight with a model that has no choice.
  Transcriber(const model_file::TranscriberSession& session, const TranscriberOptions& options,
              bool times_words = false);

  // Each line is the path of a sound; one that cannot be read is a fault, and its reason logged.
  Sounds prepare(std::span<const Line> lines, Report& report) const;
  // Of log-mel frames [N, bins] of each sound, not normalised, which have to outlive the requests.
  Sounds prepare(std::span<const std::vector<float>> sounds, Report& report) const;
  std::vector<Answer> run(std::span<Request> requests) const;
  std::vector<Result> finish(const Sounds& prepared, std::span<Answer> answers,
                             Report& report) const;
  int64_t most_prepared() const { return kAnyNumber; }

  const data::LogMel& log_mel() const { return log_mel_; }
  int64_t longest_piece() const;  // frames
  // Whether the times of words are those of a CTC output layer.
  bool knows_times() const;
  double seconds_of_frames(double frames) const;
  // Logs a warning if most of the sounds that the report counts gave no text: a model that was
  // trained on sounds of one loudness gives none for quieter ones.
  void warn_of_empty_texts(const Report& report) const;

 private:
  struct Batch;

  void add_pieces(size_t sound, std::span<const float> frames, Sounds& out, Report& report) const;
  std::vector<Answer> run_batch(std::span<Request* const> pieces) const;
  void search_ctc(Batch& batch) const;
  void search_decoder(Batch& batch) const;
  std::vector<TimedWord> words_of(const Batch& batch, size_t piece) const;

  const model_file::TranscriberSession& session_;
  TranscriberOptions options_;
  bool times_words_;
  double ctc_weight_;
  data::LogMel log_mel_;
  std::vector<int32_t> forbidden_;
};

// The words of tokens that are spoken in these spans of seconds: a word begins with its first
// token and ends with its last one.
std::vector<TimedWord> timed_words(const data::Tokeniser& tokeniser,
                                   std::span<const int32_t> tokens,
                                   std::span<const std::pair<double, double>> spans);

// The words of a text that is spoken from `begin` to `end`, with times by their characters.
std::vector<TimedWord> spread_words(std::string_view text, double begin, double end);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_TRANSCRIPTION_TRANSCRIBER_H_
