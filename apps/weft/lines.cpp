#include "apps/weft/lines.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "apps/weft/command.h"
#include "weft/data/standard_input.h"

namespace weft::app {
namespace {

[[noreturn]] void fail_reading() {
  fail<FileError>("stdin", "cannot be read: {}", std::strerror(errno));
}

// The next line of standard input, after `lines`, without its end; false where there is none. One
// over the limit is marked and left empty.
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

LineSource::LineSource(const std::string& path) {
  if (path != kStandardInput && path != data::kStandardInput) file_.emplace(path);
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

LineSink::LineSink(const std::string& path)
    : path_(path), is_standard_(path == kStandardOutput || path == "-") {
  if (is_standard_) return;
  file_.open(path, std::ios::binary);
  check();
}

void LineSink::write(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    put(line);
    put("\n");
  }
  flush();
}

void LineSink::write_part(std::string_view text) {
  put(text);
  flush();
}

void LineSink::put(std::string_view text) {
  is_standard_ ? print(text) : static_cast<void>(file_ << text);
}

void LineSink::flush() {
  is_standard_ ? flush_output() : static_cast<void>(file_.flush());
  check();
}

void LineSink::check() const {
  if (!is_standard_ && !file_) {
    fail<FileError>(path_, "cannot be written: {}", std::strerror(errno));
  }
}

void for_each_window(LineSource& source, int64_t most,
                     const std::function<void(std::span<const decode::SourceLine>)>& take) {
  if (source.is_interactive()) most = 1;
  std::vector<decode::SourceLine> lines;
  decode::SourceLine line;
  for (bool more = true; more;) {
    lines.clear();
    while (std::ssize(lines) < most && (more = source.next(line))) lines.push_back(line);
    if (!lines.empty()) take(lines);
  }
}

}  // namespace weft::app
