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
    translation.search.fields(v);
  }

  void validate() const {
    translation.search.validate();
    if (stream && translation.search.value<bool>("n-best")) {
      fail<OptionError>("--stream", "contradicts --n-best; expected one of them");
    }
  }
};

void stream(const Translator& translator, const Line& line, LineSink& sink, Report& report) {
  const auto write = [&](std::string_view text) {
    sink.write_part(text);
    return true;
  };
  const Translation found = translator.stream(line, write, &report);
  sink.write_part(found.written.substr(found.text.size()) + "\n");
}

}  // namespace

int run_translate(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<TranslateOptions>(info, args);
  if (!options) return 0;
  const Translator translator = options->translation.load();
  if (options->stream) translator.check_stream();
  LineSource source(options->translation.input);
  LineSink sink(options->output);
  Report report;
  const Answering answering{
      .together = options->stream ? 1 : lines_together(options->translation.search),
      .done = "translated",
      .is_strict = options->strict};
  for (std::vector<Line> lines; next_window(source, answering.together, lines);) {
    if (options->stream) {
      stream(translator, lines.front(), sink, report);
      continue;
    }
    std::vector<std::string> out;
    for (Translation& line : translator.translate(lines, &report)) {
      out.push_back(std::move(line.written));
    }
    sink.write(out);
  }
  const int status = conclude(report, answering);
  translator.check_constraints_used(report);
  return status;
}

}  // namespace weft::app
