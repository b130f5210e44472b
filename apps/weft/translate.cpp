// weft translate: translates a text line by line.

#include "apps/weft/answer.h"
#include "apps/weft/command.h"
#include "apps/weft/translation.h"

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
    translation.translator.decode.fields(v);
  }

  void validate() const {
    translation.translator.decode.validate();
    if (stream && translation.translator.decode.n_best) {
      fail<OptionError>("--stream", "contradicts --n-best; expected one of them");
    }
  }
};

}  // namespace

int run_translate(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<TranslateOptions>(info, args);
  if (!options) return 0;
  const std::vector<model_file::TranslatorSession> sessions = load_sessions(options->translation);
  const predict::Translator translator = predict::make_translator(
      sessions, options->translation.translator, options->translation.models.weights());
  if (options->stream) translator.check_left_to_right("--stream");
  LineSource source(options->translation.input);
  LineSink sink(options->output);
  Report report;
  const Answering answering{.together = options->stream ? 1 : translator.lines_together(),
                            .done = "translated",
                            .is_strict = options->strict};
  for (std::vector<predict::Line> lines; next_window(source, answering.together, lines);) {
    if (options->stream) {
      translator.stream(lines.front(), report, [&](std::string_view x) { sink.write_part(x); });
      sink.write_part("\n");
      continue;
    }
    std::vector<std::string> out;
    int64_t number = report.inputs;
    for (const predict::TranslatedLine& line : predict::predict(translator, lines, report)) {
      out.push_back(predict::written(line, number++, translator.options()));
    }
    sink.write(out);
  }
  const int status = conclude(report, answering);
  translator.check_constraints_used(report);
  return status;
}

}  // namespace weft::app
