// weft translate: translates a text line by line.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>

#include "apps/weft/command.h"
#include "apps/weft/translation.h"
#include "weft/core/log.h"
#include "weft/core/timer.h"

namespace weft::app {
namespace {

struct TranslateOptions {
  TranslationOptions translation;
  std::string output = "stdout";
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

class Sink {
 public:
  explicit Sink(const std::string& path) : path_(path) {
    if (is_standard()) return;
    file_.open(path, std::ios::binary);
    check();
  }

  void write(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      put(line);
      put("\n");
    }
    flush();
  }
  void write_part(std::string_view text) {
    put(text);
    flush();
  }

 private:
  void put(std::string_view text) {
    is_standard() ? print(text) : static_cast<void>(file_ << text);
  }
  void flush() {
    is_standard() ? flush_output() : static_cast<void>(file_.flush());
    check();
  }
  bool is_standard() const { return path_ == TranslateOptions().output || path_ == "-"; }
  void check() const {
    if (!is_standard() && !file_) {
      fail<FileError>(path_, "cannot be written: {}", std::strerror(errno));
    }
  }

  std::string path_;
  std::ofstream file_;
};

void translate_all(decode::Translator& translator, LineSource& source, Sink& sink) {
  const int64_t most = source.is_interactive() ? 1 : translator.lines_together();
  std::vector<decode::SourceLine> lines;
  decode::SourceLine line;
  for (bool more = true; more;) {
    lines.clear();
    while (std::ssize(lines) < most && (more = source.next(line))) lines.push_back(line);
    if (!lines.empty()) sink.write(translator.translate(lines));
  }
}

void stream_all(decode::Translator& translator, LineSource& source, Sink& sink) {
  for (decode::SourceLine line; source.next(line);) {
    translator.translate({&line, 1}, [&](std::string_view more) { sink.write_part(more); });
    sink.write_part("\n");
  }
}

}  // namespace

int run_translate(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<TranslateOptions>(info, args);
  if (!options) return 0;
  std::ios::sync_with_stdio(false);
  const std::vector<model_file::Session> sessions = load_sessions(options->translation);
  decode::Translator translator = make_translator(sessions, options->translation);
  if (options->stream) translator.check_left_to_right("--stream");
  LineSource source(options->translation.input);
  Sink sink(options->output);
  const Timer timer;
  (options->stream ? stream_all : translate_all)(translator, source, sink);
  const decode::TranslationReport& report = translator.report();
  if (report.faults() + report.empty + report.with_unknown > 0) log::warn("{}", report.text());
  translator.check_constraints_used();
  log::info("translated {} lines in {:.1f} s", report.lines, timer.seconds());
  return options->strict && report.faults() > 0 ? 1 : 0;
}

}  // namespace weft::app
