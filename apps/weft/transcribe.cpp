// weft transcribe: paths of sound files in, a line each, and what is spoken in them out.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "apps/weft/command.h"
#include "apps/weft/evaluation_output.h"
#include "apps/weft/lines.h"
#include "apps/weft/listed_files.h"
#include "weft/core/counted.h"
#include "weft/core/log.h"
#include "weft/core/timer.h"
#include "weft/data/audio/transcribed_audio.h"
#include "weft/metrics/error_rate.h"
#include "weft/tasks/transcription/recogniser.h"

namespace weft::app {
namespace {

struct TranscribeOptions {
  std::string model;
  std::string precision = "auto";
  std::string input{kStandardInput};
  std::string output{kStandardOutput};
  std::string format = "text";
  bool strict = false;
  std::vector<std::string> evaluate;
  EvaluationOutputOptions evaluation;
  tasks::RecogniserOptions recogniser;

  template <class V>
  void fields(V& v) {
    group(v, "Sound");
    v("model", model, {.help = "model file", .letter = 'm', .required = true, .reads = true});
    v("precision", precision,
      {.help = "what weights are kept and multiplied in; auto: as they stand in the file",
       .choices = "auto|float32|bfloat16|int8"});
    v("input", input,
      {.help =
           "a sound (WAV, FLAC, Ogg), a folder of sounds, or a list: the path of a sound a line, "
           "plain or .gz, or - or stdin",
       .letter = 'i',
       .reads = true});
    v("output", output,
      {.help = "file of transcripts, or - or stdout", .letter = 'o', .writes = true});
    v("format", format,
      {.help = "text: a transcript a line; json: an object a line, with the path, the text, and "
               "the seconds in which each word begins and ends where the model has a CTC output "
               "layer",
       .choices = "text|json"});
    recogniser.fields(v);
    v("strict", strict,
      {.help = "exit status 1 if a file could not be read; a result is written for every line in "
               "any case"});
    group(v, "Evaluation");
    v("evaluate", evaluate,
      {.help = "sounds with their texts, as in training: print word and character error rates in "
               "place of transcripts",
       .reads = true});
    evaluation.fields(v);
  }

  void validate() const {
    const auto is_of_lines = [](std::string_view name) {
      return name == "input" || name == "output" || name == "format" || name == "strict";
    };
    if (evaluate.empty()) {
      const auto is_read = [](std::string_view name) {
        return !EvaluationOutputOptions::is_option(name);
      };
      return formats::check_unread(*this, is_read, "without --evaluate");
    }
    formats::check_unread(
        *this, [&](std::string_view name) { return !is_of_lines(name); }, "with --evaluate");
  }
  int64_t lines_together() const { return 4 * recogniser.mini_batch; }
};

std::string json_of(const std::string& path, const tasks::Transcript& transcript, bool has_words) {
  const auto rounded = [](double seconds) { return std::round(seconds * 1000) / 1000; };
  nlohmann::ordered_json out;
  out["audio"] = path;
  if (!transcript.is_read) {
    out["error"] = "cannot be read";
  } else if (!transcript.is_finite) {
    out["error"] = decode::kNotFinite;
  } else {
    out["seconds"] = rounded(transcript.seconds);
    out["text"] = transcript.text;
    if (has_words) out["words"] = nlohmann::ordered_json::array();
    for (const tasks::TimedWord& word : transcript.words) {
      out["words"].push_back(
          {{"word", word.text}, {"begin", rounded(word.begin)}, {"end", rounded(word.end)}});
    }
  }
  return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

// The text as it would be printed: on one line.
std::string line_of(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

// Prints how good the texts are.
void report(const std::vector<std::string>& found, const std::vector<std::string>& expected,
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

void evaluate(tasks::Recogniser& recogniser, const TranscribeOptions& options) {
  PredictionFile file(options.evaluation);
  std::vector<decode::SourceLine> lines;
  std::vector<std::string> expected, found;
  const auto flush = [&] {
    const std::vector<tasks::Transcript> transcripts = recogniser.transcribe(lines);
    for (size_t i = 0; i < lines.size(); ++i) {
      if (!transcripts[i].is_finite) {
        fail<NumericError>("--evaluate", "sound {}: {}", found.size() + 1, decode::kNotFinite);
      }
      found.push_back(transcripts[i].text);
      file.write({{"audio", lines[i].text},
                  {"expected", expected[found.size() - 1]},
                  {"text", found.back()}});
    }
    lines.clear();
  };
  data::read_transcribed_audio(options.evaluate, [&](const data::TranscribedSound& sound) {
    lines.push_back({.text = sound.path});
    expected.emplace_back(sound.text);
    if (std::ssize(lines) == options.lines_together()) flush();
  });
  flush();
  report(found, expected, options.evaluation.json);
}

}  // namespace

int run_transcribe(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<TranscribeOptions>(info, args);
  if (!options) return 0;
  const auto session = model_file::load_packed<model_file::TranscriberSession>(
      options->model, model_file::precision_named(options->precision));
  tasks::Recogniser recogniser(session, options->recogniser, options->format == "json");
  const Timer timer;
  if (!options->evaluate.empty()) {
    evaluate(recogniser, *options);
  } else {
    LineSource source(options->input, data::FileKind::kSound);
    if (const auto sounds = listed_files(source, options->input)) {
      check_listed_output(options->output, *sounds);
    }
    LineSink sink(options->output);
    for_each_window(source, options->lines_together(), [&](const auto& lines) {
      const std::vector<tasks::Transcript> transcripts = recogniser.transcribe(lines);
      std::vector<std::string> out;
      for (size_t i = 0; i < lines.size(); ++i) {
        out.push_back(options->format == "json"
                          ? json_of(lines[i].text, transcripts[i], session.model.options.has_ctc())
                          : line_of(transcripts[i].text));
      }
      sink.write(out);
    });
  }
  const tasks::LineReport& report = recogniser.report();
  if (report.faults() + report.empty + report.split > 0) log::warn("{}", report.text());
  log::info("transcribed {} in {:.1f} s", counted(report.lines, "sound"), timer.seconds());
  return exit_status(report, options->strict);
}

}  // namespace weft::app
