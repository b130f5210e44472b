#include "apps/weft/translation.h"

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "weft/core/atomic_file.h"
#include "weft/data/standard_input.h"

namespace weft::app {
namespace {

int64_t parse_count(const std::string& text) {
  int64_t count = -1;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc() || stop != end || count < 0) {
    fail<OptionError>("--shortlist", "expected FILE [FIRST BEST], numbers from 0, got '{}'", text);
  }
  return count;
}

decode::ShortlistOptions shortlist_options(const std::vector<std::string>& values) {
  decode::ShortlistOptions out{.path = values.front()};
  if (values.size() > 3) {
    fail<OptionError>("--shortlist", "expected FILE [FIRST BEST], got {} values", values.size());
  }
  if (values.size() > 1) out.first = parse_count(values[1]);
  if (values.size() > 2) out.best = parse_count(values[2]);
  return out;
}

[[noreturn]] void fail_reading() {
  fail<FileError>("stdin", "cannot be read: {}", std::strerror(errno));
}

// Reads the next line of standard input, after the first `lines`, without its line break; false at
// the end. A line over the limit is marked and left empty.
bool read_line(std::streambuf& in, decode::SourceLine& line, int64_t lines) {
  using Traits = std::char_traits<char>;
  line.text.clear();
  size_t bytes = 0;
  errno = 0;
  try {
    Traits::int_type c = in.sbumpc();
    if (c == Traits::eof()) {
      if (std::ferror(stdin) != 0) fail_reading();
      return false;
    }
    for (; c != Traits::eof() && c != '\n'; c = in.sbumpc()) {
      if (++bytes <= data::kMaxLineBytes) line.text += Traits::to_char_type(c);
      if (bytes > data::kMaxUnendedBytes) data::fail_unended("stdin", lines);
    }
  } catch (const std::ios_base::failure&) {
    fail_reading();
  }
  line.is_over_long = bytes > data::kMaxLineBytes;
  if (line.is_over_long) line.text.clear();
  return true;
}

}  // namespace

std::vector<model_file::Session> load_sessions(const TranslationOptions& options) {
  std::vector<model_file::Session> sessions;
  for (const std::string& path : options.models) {
    sessions.push_back(
        model_file::load_packed(path, model_file::precision_named(options.precision)));
    model_file::check_vocabularies(sessions.front(), sessions.back(), path, "the first model");
  }
  return sessions;
}

decode::Translator make_translator(const std::vector<model_file::Session>& sessions,
                                   const TranslationOptions& options) {
  decode::Translator translator(sessions, options.decode,
                                options.banned_words.empty()
                                    ? std::vector<std::string>()
                                    : data::read_lines(options.banned_words));
  if (!options.constraints.empty()) {
    translator.check_left_to_right("--constraints");  // before the file is read
    translator.use_constraints({options.constraints, sessions.front().target()});
  }
  if (!options.shortlist.empty()) {
    translator.check_left_to_right("--shortlist");
    const model_file::Session& first = sessions.front();
    translator.use_shortlist(
        {shortlist_options(options.shortlist), first.source(), first.target()});
  }
  return translator;
}

LineSource::LineSource(const std::string& path) {
  if (path != TranslationOptions().input && path != data::kStandardInput) file_.emplace(path);
}

bool LineSource::next(decode::SourceLine& line) {
  if (file_) {
    if (!file_->next()) return false;
    line = {std::string(file_->line()), file_->is_too_long()};
    return true;
  }
  if (!read_line(*std::cin.rdbuf(), line, lines_)) return false;
  ++lines_;
  if (line.text.ends_with('\r')) line.text.pop_back();
  if (lines_ == 1) line.text = data::without_byte_order_mark(line.text);
  return true;
}

bool LineSource::is_interactive() const { return !file_ && ::isatty(STDIN_FILENO) == 1; }

}  // namespace weft::app
