// weft translate: lines of text in, their translations out.
#include "weft/decode/translate.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <optional>

#include "apps/weft/command.h"
#include "weft/core/log.h"
#include "weft/core/timer.h"
#include "weft/data/text_file.h"

namespace weft::app {
namespace {

struct TranslateOptions {
  std::string model;
  std::string input = "stdin";
  std::string output = "stdout";
  bool strict = false;
  std::string banned_words;
  decode::DecodeOptions decode;

  template <class V>
  void fields(V& v) {
    group(v, "Text");
    v("model", model, {.help = "model file", .letter = 'm', .required = true});
    v("input", input,
      {.help = "text to translate, one sentence a line, plain or .gz, or stdin", .letter = 'i'});
    v("output", output, {.help = "file of translations, or stdout", .letter = 'o'});
    v("strict", strict,
      {.help = "exit status 1 when a line was split, cropped, cut off, over-long or not UTF-8; "
               "all lines are written all the same"});
    v("banned-words", banned_words,
      {.help = "file of words and phrases, one a line, that no translation may hold"});
    decode.fields(v);
  }

  void validate() const { decode.validate(); }
};

// Lines of a file, or of standard input as they come in.
class Source {
 public:
  explicit Source(const std::string& path) {
    if (path != "stdin") file_.emplace(path);
  }

  bool next(decode::SourceLine& line) {
    if (file_) {
      if (!file_->next()) return false;
      line = {std::string(file_->line()), file_->is_too_long()};
      return true;
    }
    line.is_over_long = false;
    if (!std::getline(std::cin, line.text)) return false;
    if (line.text.ends_with('\r')) line.text.pop_back();
    return true;
  }

  // Somebody waits for an answer to every line.
  bool is_interactive() const { return !file_ && ::isatty(STDIN_FILENO) == 1; }

 private:
  std::optional<data::TextFile> file_;
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
      if (is_standard()) {
        print(line);
        print("\n");
      } else {
        file_ << line << '\n';
      }
    }
    is_standard() ? flush_output() : static_cast<void>(file_.flush());
    check();
  }

 private:
  bool is_standard() const { return path_ == "stdout"; }
  void check() const {
    if (!is_standard() && !file_) {
      fail<FileError>(path_, "cannot be written: {}", std::strerror(errno));
    }
  }

  std::string path_;
  std::ofstream file_;
};

void translate_all(decode::Translator& translator, Source& source, Sink& sink) {
  const int64_t at_once = source.is_interactive() ? 1 : translator.lines_at_once();
  std::vector<decode::SourceLine> lines;
  decode::SourceLine line;
  for (bool more = true; more;) {
    lines.clear();
    while (std::ssize(lines) < at_once && (more = source.next(line))) lines.push_back(line);
    if (!lines.empty()) sink.write(translator.translate(lines));
  }
}

}  // namespace

int run_translate(const Args& args) {
  const auto options = parse_command<TranslateOptions>(
      {.name = "translate", .summary = "Translates text, line by line"}, args);
  if (!options) return 0;
  std::ios::sync_with_stdio(false);
  const infer::Session session = infer::load_model(options->model);
  const auto banned = options->banned_words.empty() ? std::vector<std::string>()
                                                    : data::read_lines(options->banned_words);
  decode::Translator translator(session, options->decode, banned);
  Source source(options->input);
  Sink sink(options->output);
  const Timer timer;
  translate_all(translator, source, sink);
  const decode::TranslationReport& report = translator.report();
  if (report.faults() + report.empty + report.with_unknown > 0) log::warn("{}", report.text());
  log::info("translated {} lines in {:.1f} s", report.lines, timer.seconds());
  return options->strict && report.faults() > 0 ? 1 : 0;
}

}  // namespace weft::app
