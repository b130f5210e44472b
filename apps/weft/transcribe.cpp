// weft transcribe: paths of sound files in, a line each, and what is spoken in them out.
#include <fmt/core.h>

#include "apps/weft/answer.h"
#include "apps/weft/command.h"
#include "apps/weft/input/listed_files.h"
#include "apps/weft/input/raw_sound.h"
#include "apps/weft/model_options.h"
#include "apps/weft/output/evaluation_output.h"
#include "apps/weft/output/transcript_format.h"
#include "weft/core/log.h"
#include "weft/core/text/counted.h"
#include "weft/data/audio/transcribed_audio.h"
#include "weft/data/file_names.h"
#include "weft/metrics/text/error_rate.h"
#include "weft/model_file/transcriber.h"
#include "weft/predict/transcription/transcriber.h"

namespace weft::app {
namespace {

struct TranscribeOptions {
  ModelOptions model;
  std::string input{kStandardInput};
  std::string output{kStandardOutput};
  RawOptions raw;
  std::string format = "text";
  bool strict = false;
  std::vector<std::string> evaluate;
  data::BadFileOptions bad_files;
  EvaluationOutputOptions evaluation;
  predict::TranscriberOptions transcriber;

  template <class V>
  void fields(V& v) {
    options::group(v, "Sound");
    model.fields(v);
    v("input", input,
      {.help =
           "a sound (WAV, FLAC, Ogg, MP3), a folder of sounds, or a list: the path of a sound a "
           "line, plain or .gz, or - or stdin; with --raw the sound itself, also from a named "
           "pipe",
       .letter = 'i',
       .reads = true});
    raw.fields(v);
    v("output", output,
      {.help = "file of transcripts, or - or stdout", .letter = 'o', .writes = true});
    v("format", format,
      {.help = "text: a transcript a line; json: an object a line, with the path, the text, and "
               "the seconds in which each word begins and ends where the model has a CTC output "
               "layer; srt, vtt: subtitles of one sound",
       .choices = kTranscriptFormats});
    transcriber.fields(v);
    v("strict", strict,
      {.help = "exit status 1 if a file could not be read; a result is written for every line in "
               "any case"});
    options::group(v, "Evaluation");
    v("evaluate", evaluate,
      {.help = "sounds with their texts, as in training: print word and character error rates in "
               "place of transcripts",
       .reads = true});
    bad_files.fields(v);
    evaluation.fields(v);
  }

  void validate() const {
    const auto is_of_evaluation = [](std::string_view name) {
      return name == data::BadFileOptions::kName;
    };
    const auto is_of_output = [](std::string_view name) {
      return name == "input" || name == "output" || name == "format" || name == "raw" ||
             name == "strict";
    };
    options::check_scopes(*this);
    check_evaluation(*this, !evaluate.empty(), is_of_evaluation, is_of_output);
    if (raw.is_on()) {
      options::check_unread(
          *this, [](std::string_view name) { return name != "strict"; }, "with --raw");
    }
  }
  bool needs_times() const { return raw.is_on() || format != "text"; }
  int64_t lines_together() const { return 4 * transcriber.mini_batch; }
  Answering answering() const {
    return {
        .together = lines_together(), .done = "transcribed", .unit = "sound", .is_strict = strict};
  }
};

// Prints how good the texts are.
void print_rates(const std::vector<std::string>& found, const std::vector<std::string>& expected,
                 bool as_json) {
  const metrics::ErrorRate words = metrics::word_error_rate(found, expected),
                           characters = metrics::character_error_rate(found, expected);
  int64_t right = 0;
  for (size_t i = 0; i < found.size(); ++i) right += found[i] == expected[i] ? 1 : 0;
  if (as_json) {
    const auto rate_of = [](const metrics::ErrorRate& rate) {
      return Json{{"rate", rate.value()}, {"errors", rate.errors}, {"length", rate.length}};
    };
    return print(json_page({{"word_error_rate", rate_of(words)},
                            {"character_error_rate", rate_of(characters)},
                            {"right", right},
                            {"texts", found.size()}}));
  }
  print(
      fmt::format("word error rate {:.4f} ({} of {}), character error rate {:.4f} ({} of {}), {} "
                  "of {} texts right\n",
                  words.value(), words.errors, words.length, characters.value(), characters.errors,
                  characters.length, right, found.size()));
}

void evaluate(const predict::Transcriber& transcriber, const TranscribeOptions& options,
              Report& report) {
  struct Example {
    std::string where, text;
  };
  PredictionFile file(options.evaluation);
  data::SkippedFiles skipped(data::unnamed(options.bad_files.params()));  // transcribe() names them
  std::vector<predict::Line> lines;
  std::vector<Example> examples;  // of these lines
  std::vector<std::string> expected, found;
  const auto flush = [&] {
    const std::vector<Transcript> transcripts = predict::predict(transcriber, lines, report);
    for (size_t i = 0; i < lines.size(); ++i) {
      const auto& [where, text] = examples[i];
      if (const std::optional<Fault>& fault = transcripts[i].fault) {
        if (fault->kind == FaultKind::kNotFinite) {
          fail<NumericError>(where, "{}", fault->reason);
        }
        skipped.add(fmt::format("{}: {}", where, fault->reason));
        continue;
      }
      found.push_back(transcripts[i].text);
      expected.push_back(text);
      file.write({{"audio", lines[i].text}, {"expected", text}, {"text", found.back()}});
    }
    lines.clear();
    examples.clear();
  };
  data::read_transcribed_audio(options.evaluate, [&](const data::TranscribedSound& sound) {
    lines.push_back({.text = sound.path});
    examples.push_back({sound.where, std::string(sound.text)});
    if (std::ssize(lines) == options.lines_together()) flush();
  });
  flush();
  const std::string sounds = counted(std::ssize(found), "sound") + skipped.report();
  if (found.empty()) {
    fail<FormatError>(data::joined_names(options.evaluate), "{}; expected at least one", sounds);
  }
  log::info("{}: {}", data::joined_names(options.evaluate), sounds);
  print_rates(found, expected, options.evaluation.json);
}

// A model that was trained on sounds of one loudness gives nothing for quieter ones.
void warn_of_empty_texts(const Report& report, const model_file::TranscriberAssets& assets) {
  const int64_t read = report.inputs - report.problems() - report.count(FaultKind::kEmpty);
  const int64_t empty = report.count(Note::kNoText);
  if (2 * empty <= read) return;
  log::warn("{} of {} gave no text; are they {}speech of the language of training?", empty,
            counted(read, "sound"),
            assets.frame_norm.is<data::GlobalNorm>() ? "as loud as those of training, and " : "");
}

int transcribe_files(const predict::Transcriber& transcriber, const TranscribeOptions& options,
                     TranscriptFormat& format, Report& report) {
  LineSource source(options.input, data::FileKind::kSound);
  if (const auto sounds = listed_files(source, options.input)) {
    check_listed_output(options.output, *sounds);
  }
  LineSink sink(options.output);
  sink.write_part(format.header());
  const Answering answering = options.answering();
  for (std::vector<predict::Line> lines; next_window(source, answering.together, lines);) {
    const std::vector<Transcript> transcripts = predict::predict(transcriber, lines, report);
    std::string out;
    for (size_t i = 0; i < lines.size(); ++i) out += format.of_file(lines[i].text, transcripts[i]);
    sink.write_part(out);
  }
  return conclude(report, answering);
}

int transcribe_stream(const predict::Transcriber& transcriber, const TranscribeOptions& options,
                      TranscriptFormat& format) {
  const Timer timer;
  LineSink sink(options.output);
  const RawEnd end = transcribe_raw(options.input, options.raw, transcriber, format, sink);
  log::info("transcribed {:.1f} seconds of sound in {:.1f} s", end.seconds, timer.seconds());
  return end.signal == 0 ? 0 : 128 + end.signal;
}

}  // namespace

int run_transcribe(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<TranscribeOptions>(info, args);
  if (!options) return 0;
  const auto session = options->model.load<model_file::TranscriberSession>();
  const predict::Transcriber transcriber(session, options->transcriber, options->needs_times());
  Report report;
  int status = 0;
  if (options->evaluate.empty()) {
    const auto format = make_transcript_format(options->format, transcriber.knows_times());
    if (options->raw.is_on()) return transcribe_stream(transcriber, *options, *format);
    status = transcribe_files(transcriber, *options, *format, report);
  } else {
    const Answering answering = options->answering();
    evaluate(transcriber, *options, report);
    status = conclude(report, answering);
  }
  warn_of_empty_texts(report, session.assets);
  return status;
}

}  // namespace weft::app
