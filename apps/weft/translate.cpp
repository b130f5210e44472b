// weft translate: translates a text line by line.

#include "apps/weft/command.h"
#include "apps/weft/translation.h"
#include "weft/core/log.h"
#include "weft/core/text/counted.h"
#include "weft/core/timer.h"

namespace weft::app {
namespace {

struct TranslateOptions {
  TranslationOptions translation;
  std::string output{kStandardOutput};
  bool strict = false;
  bool stream = false;

  template <class V>
  void fields(V& v) {
    translation.fields(v);
    v("output", output,
      {.help = "file of translations, or - or stdout", .letter = 'o', .writes = true});
    v("strict", strict,
      {.help = "exit with status 1 if a line was split, cropped, cut off, over-long or not UTF-8, "
               "or its translation lacks a phrase of --constraints; all lines are written anyway"});
    v("stream", stream,
      {.help = "translate line by line and write each word as soon as it is decided"});
    translation.decode.fields(v);
  }

  void validate() const {
    translation.decode.validate();
    if (stream && translation.decode.n_best) {
      fail<OptionError>("--stream", "contradicts --n-best; expected one of them");
    }
  }
};

void translate_all(predict::Translator& translator, LineSource& source, LineSink& sink) {
  for_each_window(source, translator.lines_together(),
                  [&](const auto& lines) { sink.write(translator.translate(lines)); });
}

void stream_all(predict::Translator& translator, LineSource& source, LineSink& sink) {
  for (predict::Line line; source.next(line);) {
    translator.translate({&line, 1}, [&](std::string_view more) { sink.write_part(more); });
    sink.write_part("\n");
  }
}

}  // namespace

int run_translate(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<TranslateOptions>(info, args);
  if (!options) return 0;
  const std::vector<model_file::TranslatorSession> sessions = load_sessions(options->translation);
  predict::Translator translator = make_translator(sessions, options->translation);
  if (options->stream) translator.check_left_to_right("--stream");
  LineSource source(options->translation.input);
  LineSink sink(options->output);
  const Timer timer;
  (options->stream ? stream_all : translate_all)(translator, source, sink);
  const predict::TextReport& report = translator.report();
  if (report.faults() + report.empty + report.with_unknown > 0) log::warn("{}", report.text());
  translator.check_constraints_used();
  log::info("translated {} in {:.1f} s", counted(report.lines, "line"), timer.seconds());
  return exit_status(report, options->strict);
}

}  // namespace weft::app
