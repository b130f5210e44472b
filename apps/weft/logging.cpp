#include "apps/weft/logging.h"

#include <fmt/core.h>
#include <spdlog/details/null_mutex.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>

#include "weft/core/error.h"
#include "weft/core/files/positioned_file.h"
#include "weft/core/log.h"
#include "weft/core/text/utf8.h"

namespace weft::app {
namespace {

constexpr const char* kPattern = "[%Y-%m-%d %H:%M:%S] %v";

// Whether one of the first lines of a file begins as those of kPattern.
bool has_log_line(const std::string& path) {
  constexpr size_t kBytes = 65536;
  const PositionedFile file(path);
  std::string text(kBytes, '\0');
  text.resize(file.read(0, text.data(), text.size()));
  constexpr std::string_view kForm = "[0000-00-00 00:00:00] ";
  for (size_t begin = 0; begin + kForm.size() <= text.size();) {
    const auto fits = [](char c, char form) {
      return form == '0' ? c >= '0' && c <= '9' : c == form;
    };
    if (std::ranges::equal(std::string_view(text).substr(begin, kForm.size()), kForm, fits)) {
      return true;
    }
    begin = std::min(text.find('\n', begin), text.size()) + 1;
  }
  return false;
}

// Throws OptionError for a file that something else is in, such as a picture that is to be read.
void check_log(const std::string& path) {
  std::error_code none;
  const bool has_content =
      std::filesystem::is_regular_file(path, none) && std::filesystem::file_size(path, none) > 0;
  if (!has_content || has_log_line(path)) return;
  fail<OptionError>("--log", "{} has no line of a log; expected a log or a new file", path);
}

// Appends to a file. Each message is flushed before log() returns.
class FileSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  explicit FileSink(std::string path) : path_(std::move(path)), file_(open_for_appending(path_)) {}
  ~FileSink() override { std::fclose(file_); }
  // The error of the first message that could not be written; empty if there is none.
  const std::string& error() const { return error_; }
  int descriptor() const { return fileno(file_); }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (!error_.empty()) return;
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    errno = 0;
    const bool is_written = std::fwrite(line.data(), 1, line.size(), file_) == line.size();
    if (!is_written || std::fflush(file_) != 0)
      error_ = fmt::format("--log: cannot write {}: {}", path_, std::strerror(errno));
  }
  void flush_() override {}

 private:
  static std::FILE* open_for_appending(const std::string& path) {
    check_log(path);
    if (std::FILE* file = std::fopen(path.c_str(), "ae")) return file;
    fail<FileError>("--log", "cannot open {}: {}", path, std::strerror(errno));
  }

  std::string path_;
  std::FILE* file_;
  std::string error_;
};

struct Logging {
  std::shared_ptr<spdlog::logger> terminal;
  std::shared_ptr<spdlog::logger> file;
  std::shared_ptr<FileSink> file_sink;
  std::mutex mutex;  // guards the status line and the file
  std::string status;
  bool shows_status = false;
};

Logging& logging() {
  static Logging instance;
  return instance;
}

void write_status(std::string_view text) {
  fmt::print(stderr, "\r\x1b[K{}", text);
  std::fflush(stderr);
}

// The text as a terminal may show it: control characters but those of `kept` as \n or \x1b, and
// bytes that are not UTF-8 as the replacement character.
std::string printable(std::string_view text, std::string_view kept = "") {
  std::string out;
  for (const char c : repair_utf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte >= 0x20 && byte != 0x7f) || kept.find(c) != kept.npos) {
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else {
      out += fmt::format("\\x{:02x}", byte);
    }
  }
  return out;
}

void print_error(std::string_view message) { fmt::print(stderr, "weft: {}\n", message); }

// Requires that the status line is cleared and the mutex is held.
void write_to_file(spdlog::level::level_enum level, std::string_view message) {
  Logging& state = logging();
  if (!state.file) return;
  state.file->log(level, message);
  if (state.file_sink->error().empty()) return;
  print_error(state.file_sink->error());
  state.file.reset();
}

void write_message(log::Level level, std::string_view message) {
  Logging& state = logging();
  const std::lock_guard lock(state.mutex);
  if (!state.status.empty()) write_status("");
  const bool is_warning = level == log::Level::kWarning;
  const auto kind = is_warning ? spdlog::level::warn : spdlog::level::info;
  const std::string text =
      is_warning ? "warning: " + printable(message) : printable(message, "\n\t");  // tables
  state.terminal->log(kind, text);
  write_to_file(kind, text);
  if (!state.status.empty()) write_status(state.status);
}

constexpr int kFirstSignalStatus = 128;  // plus the signal's number, as in a shell

// Of the log, for signals; -1: there is none.
volatile std::sig_atomic_t ended_log = -1;

// Records that a signal ends the program, by calls that a handler may make, and lets it.
extern "C" void record_signal(int signal) {
  const char digits[] = {static_cast<char>('0' + signal / 10),
                         static_cast<char>('0' + signal % 10)};
  for (const std::string_view part : {std::string_view("ended: stopped by signal "),
                                      std::string_view(digits, 2), std::string_view("\n")}) {
    if (::write(ended_log, part.data(), part.size()) < 0) break;
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void record_signals(int log) {
  ended_log = log;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (std::signal(signal, record_signal) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

}  // namespace

void start_logging(bool quiet, const std::string& path) {
  Logging& state = logging();
  state.terminal = std::make_shared<spdlog::logger>(
      "terminal", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  state.terminal->set_pattern(kPattern);
  state.terminal->set_level(quiet ? spdlog::level::warn : spdlog::level::info);
  state.shows_status = !quiet && isatty(STDERR_FILENO) == 1;
  if (!path.empty()) {
    state.file_sink = std::make_shared<FileSink>(path);
    state.file = std::make_shared<spdlog::logger>("file", state.file_sink);
    state.file->set_pattern(kPattern);
    record_signals(state.file_sink->descriptor());
  }
  log::set_sink(write_message);
}

void record(std::string_view message) {
  const std::lock_guard lock(logging().mutex);
  write_to_file(spdlog::level::info, printable(message));
}

void record_end(int status) {
  const std::string_view reason = status == 0                   ? "done"
                                  : status > kFirstSignalStatus ? "stopped by a signal"
                                                                : "an error";
  record(fmt::format("ended: {}, status {}", reason, status));
}

bool log_is_complete() {
  const Logging& state = logging();
  return !state.file_sink || state.file_sink->error().empty();
}

void show_status(std::string_view line) {
  Logging& state = logging();
  if (!state.shows_status) return;
  const std::lock_guard lock(state.mutex);
  state.status = line;
  write_status(line);
}

void report_error(std::string_view message) {
  show_status("");
  const std::string line = printable(message);
  const std::lock_guard lock(logging().mutex);
  write_to_file(spdlog::level::err, "error: " + line);
  print_error(line);
}

}  // namespace weft::app
