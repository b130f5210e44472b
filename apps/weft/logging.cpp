#include "apps/weft/logging.h"

#include <fmt/format.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>

#include "weft/core/error.h"
#include "weft/core/log.h"

namespace weft::app {
namespace {

struct Logging {
  std::shared_ptr<spdlog::logger> terminal;
  std::shared_ptr<spdlog::logger> file;
  std::mutex mutex;  // of the status line
  std::string status;
  bool shows_status = false;
};

Logging& logging() {
  static Logging instance;
  return instance;
}

constexpr const char* kPattern = "[%Y-%m-%d %H:%M:%S] %v";

void write_status(std::string_view text) {
  fmt::print(stderr, "\r\x1b[K{}", text);
  std::fflush(stderr);
}

void write_message(log::Level level, std::string_view message) {
  Logging& state = logging();
  const std::lock_guard lock(state.mutex);
  if (!state.status.empty()) write_status("");
  const bool is_warning = level == log::Level::kWarning;
  for (const auto& logger : {state.terminal, state.file})
    if (logger && is_warning) {
      logger->warn("warning: {}", message);
    } else if (logger) {
      logger->info("{}", message);
    }
  if (!state.status.empty()) write_status(state.status);
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
    const auto folder = std::filesystem::path(path).parent_path();  // spdlog would make it
    if (!folder.empty() && !std::filesystem::exists(folder))
      fail<FileError>("--log", "cannot open the log file: no folder {}", quote(folder.string()));
    try {
      state.file = std::make_shared<spdlog::logger>(
          "file", std::make_shared<spdlog::sinks::basic_file_sink_mt>(path));
    } catch (const spdlog::spdlog_ex& error) {
      fail<FileError>("--log", "cannot open the log file: {}", error.what());
    }
    state.file->set_pattern(kPattern);
    state.file->flush_on(spdlog::level::info);
  }
  log::set_sink(write_message);
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
  std::string line;
  for (const char c : message) {
    if (c == '\n') {
      line += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      line += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      line += c;
    }
  }
  if (logging().file) logging().file->error("error: {}", line);
  fmt::print(stderr, "weft: {}\n", line);
}

}  // namespace weft::app
