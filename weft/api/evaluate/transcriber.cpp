#include <fmt/format.h>

#include "weft/api/evaluate/evaluations.h"
#include "weft/api/loaded_model.h"
#include "weft/api/predictor_options.h"
#include "weft/core/log.h"
#include "weft/core/text/counted.h"
#include "weft/data/audio/transcribed_audio.h"
#include "weft/data/file_names.h"
#include "weft/metrics/text/error_rate.h"

namespace weft::api {
namespace {

using TranscriberOptionsOfEvaluation = EvaluationOptions<TranscriberOptions, data::BadFileOptions>;

// How good the texts are.
ModelEvaluation rates_of(const std::vector<std::string>& found,
                         const std::vector<std::string>& expected) {
  const metrics::ErrorRate words = metrics::word_error_rate(found, expected),
                           characters = metrics::character_error_rate(found, expected);
  int64_t right = 0;
  for (size_t i = 0; i < found.size(); ++i) right += found[i] == expected[i] ? 1 : 0;
  const auto rate_of = [](const metrics::ErrorRate& rate) {
    return Json{{"rate", rate.value()}, {"errors", rate.errors}, {"length", rate.length}};
  };
  return {.text = fmt::format(
              "word error rate {:.4f} ({} of {}), character error rate {:.4f} ({} of {}), {} "
              "of {} texts right\n",
              words.value(), words.errors, words.length, characters.value(), characters.errors,
              characters.length, right, found.size()),
          .json = json_page({{"word_error_rate", rate_of(words)},
                             {"character_error_rate", rate_of(characters)},
                             {"right", right},
                             {"texts", found.size()}})};
}

// Transcribes labelled sounds, some at a time.
class SoundEvaluation {
 public:
  SoundEvaluation(const EvaluationInput& in, const predict::Transcriber& transcriber,
                  data::BadFiles bad_files)
      : in_(in),
        transcriber_(transcriber),
        skipped_(data::unnamed(bad_files)) {}  // the transcriber names them

  void add(const data::TranscribedSound& sound) {
    lines_.push_back({.text = sound.path});
    examples_.push_back({sound.where, std::string(sound.text)});
  }
  int64_t waiting() const { return std::ssize(lines_); }
  void run() {
    const std::vector<Transcript> transcripts = predict::predict(transcriber_, lines_, report_);
    for (size_t i = 0; i < lines_.size(); ++i) take(lines_[i].text, examples_[i], transcripts[i]);
    lines_.clear();
    examples_.clear();
  }
  ModelEvaluation finish() {
    run();
    const std::string sounds = counted(std::ssize(found_), "sound") + skipped_.report();
    const std::string names = data::joined_names(in_.files);
    if (found_.empty()) fail<FormatError>(names, "{}; expected at least one", sounds);
    log::info("{}: {}", names, sounds);
    if (report_.has_news()) log::warn("{}", report_.text());
    transcriber_.warn_of_empty_texts(report_);
    return rates_of(found_, expected_);
  }

 private:
  struct Example {
    std::string where, text;
  };

  void take(const std::string& path, const Example& example, const Transcript& transcript) {
    if (const std::optional<Fault>& fault = transcript.fault) {
      if (fault->kind == FaultKind::kNotFinite) {
        fail<NumericError>(example.where, "{}", fault->reason);
      }
      skipped_.add(fmt::format("{}: {}", example.where, fault->reason));
      return;
    }
    found_.push_back(transcript.text);
    expected_.push_back(example.text);
    in_.pass({{"audio", path}, {"expected", example.text}, {"text", transcript.text}});
  }

  const EvaluationInput& in_;
  const predict::Transcriber& transcriber_;
  data::SkippedFiles skipped_;
  Report report_{"sound"};
  std::vector<Line> lines_;
  std::vector<Example> examples_;  // of these lines
  std::vector<std::string> expected_, found_;
};

}  // namespace

ModelEvaluation evaluate_transcriber(const EvaluationInput& in) {
  const auto given = read_options<TranscriberOptionsOfEvaluation>(in.options);
  const auto& session = session_of<model_file::TranscriberSession>(only(in));
  const predict::TranscriberOptions& search = given.prediction.search;
  const predict::Transcriber transcriber(session, search, false);
  SoundEvaluation evaluation(in, transcriber, given.evaluation.params());
  data::read_transcribed_audio(in.files, [&](const data::TranscribedSound& sound) {
    evaluation.add(sound);
    if (evaluation.waiting() == 4 * search.mini_batch) evaluation.run();
  });
  return evaluation.finish();
}

const OptionSchema& transcriber_evaluation_schema() { return schema_of<data::BadFileOptions>(); }

}  // namespace weft::api
