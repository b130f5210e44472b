// weft transcribe: paths of sound files in, a line each, and what is spoken in them out.
#include "weft/transcribe.h"

#include <fmt/core.h>

#include "apps/weft/answer.h"
#include "apps/weft/command.h"
#include "apps/weft/input/listed_files.h"
#include "apps/weft/input/raw_sound.h"
#include "apps/weft/model_options.h"
#include "apps/weft/output/evaluation_output.h"
#include "apps/weft/output/transcript_format.h"
#include "weft/core/log.h"

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
  EvaluationFlags evaluation{"transcriber"};
  LibraryOptions transcriber{Transcriber::schema(), {"words"}};

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
    evaluation.fields(v);
  }

  void validate() const {
    transcriber.validate();
    const auto is_of_output = [](std::string_view name) {
      return name == "input" || name == "output" || name == "format" || name == "raw" ||
             name == "strict";
    };
    options::check_scopes(*this);
    evaluation.check(*this, !evaluate.empty(), is_of_output);
    if (raw.is_on()) {
      options::check_unread(
          *this, [](std::string_view name) { return name != "strict"; }, "with --raw");
    }
  }
  Options prediction() const {
    Options out = transcriber.changed();
    out.push_back({"words", raw.is_on() || format != "text"});
    return out;
  }
  Answering answering() const {
    return {.together = 4 * transcriber.value<int64_t>("mini-batch"),
            .done = "transcribed",
            .unit = "sound",
            .is_strict = strict};
  }
};

int transcribe_files(const Transcriber& transcriber, const TranscribeOptions& options,
                     TranscriptFormat& format) {
  LineSource source(options.input, data::FileKind::kSound);
  check_listed_output(options.output, listed_files(source, options.input), data::FileKind::kSound);
  LineSink sink(options.output);
  sink.write_part(format.header());
  Report report;
  const Answering answering = options.answering();
  for (std::vector<Line> lines; next_window(source, answering.together, lines);) {
    const std::vector<Transcript> transcripts = transcriber.transcribe(lines, &report);
    std::string out;
    for (size_t i = 0; i < lines.size(); ++i) out += format.of_file(lines[i].text, transcripts[i]);
    sink.write_part(out);
  }
  const int status = conclude(report, answering);
  transcriber.warn_of_empty_texts(report);
  return status;
}

int transcribe_stream(const Transcriber& transcriber, const TranscribeOptions& options,
                      TranscriptFormat& format) {
  const Timer timer;
  LineSink sink(options.output);
  const RawEnd end = transcribe_raw(options.input, options.raw, transcriber, format, sink);
  if (end.report.has_news()) log::warn("{}", end.report.text());
  log::info("transcribed {:.1f} seconds of sound in {:.1f} s", end.seconds, timer.seconds());
  transcriber.warn_of_empty_texts(end.report);
  if (end.report.count(FaultKind::kNotFinite) > 0) return 1;
  return end.signal == 0 ? 0 : 128 + end.signal;
}

}  // namespace

int run_transcribe(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<TranscribeOptions>(info, args);
  if (!options) return 0;
  const Model model = options->model.load("transcriber");
  if (!options->evaluate.empty()) {
    options->evaluation.run({model}, options->evaluate, options->transcriber.changed());
    return 0;
  }
  const Transcriber transcriber(model, options->prediction());
  const auto format = make_transcript_format(options->format, transcriber.knows_times());
  return options->raw.is_on() ? transcribe_stream(transcriber, *options, *format)
                              : transcribe_files(transcriber, *options, *format);
}

}  // namespace weft::app
