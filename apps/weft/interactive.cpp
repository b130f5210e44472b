#include "apps/weft/interactive.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <string>

#include "apps/weft/command.h"
#include "apps/weft/stop_signals.h"
#include "weft/core/log.h"
#include "weft/core/text/counted.h"
#include "weft/core/text/utf8.h"

namespace weft::app {
namespace {

constexpr std::string_view kPromptText = ">>> ";
constexpr std::string_view kCommands =
    "/clear  forget the conversation\n"
    "/exit   end it, as /bye and Ctrl-D\n"
    "/help   show this, as /?\n"
    "Ctrl-C  stop an answer\n";
constexpr int kSignalStatus = 128;  // and the number of the signal, as shells have it

void print_now(std::string_view text) {
  print(text);
  flush_output();
}

class Terminal {
 public:
  explicit Terminal(Chat& chat)
      : chat_(chat), is_terminal_(::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1) {}

  int run();

 private:
  enum class Read { kLine, kEnd, kSignal };

  Read read_line(std::string& line);
  bool take_line(std::string& line);
  // Whether the conversation goes on.
  bool handle_signal();
  bool handle(const std::string& line);
  bool obey(std::string_view command);
  void answer(const std::string& line);

  Chat& chat_;
  bool is_terminal_;
  StopSignals signals_;
  std::string pending_;  // bytes behind the line that was read
  int interrupts_ = 0;   // since the last line
  int status_ = 0;
};

bool Terminal::take_line(std::string& line) {
  const size_t end = pending_.find('\n');
  if (end == pending_.npos) return false;
  line = pending_.substr(0, end);
  pending_.erase(0, end + 1);
  return true;
}

Terminal::Read Terminal::read_line(std::string& line) {
  std::array<char, 4096> buffer{};
  while (!take_line(line)) {
    if (!signals_.wait_for(STDIN_FILENO)) return Read::kSignal;
    const ssize_t count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail<FileError>("stdin", "cannot be read: {}", std::strerror(errno));
    if (count == 0) {
      line = std::exchange(pending_, {});
      return line.empty() ? Read::kEnd : Read::kLine;
    }
    pending_.append(buffer.data(), static_cast<size_t>(count));
  }
  return Read::kLine;
}

bool Terminal::handle_signal() {
  const int signal = signals_.take();
  if (signal != SIGINT) {
    status_ = kSignalStatus + signal;
    return false;
  }
  pending_.clear();
  if (++interrupts_ > 1) return false;
  print_now("\n");
  if (is_terminal_) print_now("Ctrl-C again, Ctrl-D or /exit ends the conversation\n");
  return true;
}

bool Terminal::obey(std::string_view command) {
  if (command == "/exit" || command == "/bye") return false;
  if (command == "/clear") {
    chat_.clear();
  } else if (command == "/help" || command == "/?") {
    print_now(kCommands);
  } else {
    log::warn("{} is no command; /help shows them", quote(command));
  }
  return true;
}

void Terminal::answer(const std::string& line) {
  const auto is_stopped = [&] { return signals_.signal() != 0; };
  const auto write = [](std::string_view text) {
    print_now(text);
    return true;
  };
  const int64_t forgotten = chat_.forgotten();
  const Generation answer = chat_.say(line, write, is_stopped);
  print_now("\n");
  if (chat_.forgotten() > forgotten) {
    log::warn("the context is full: the conversation goes on without its first {}",
              counted(chat_.forgotten(), "exchange"));
  }
  if (answer.fault) {
    const bool is_full = answer.fault->kind == FaultKind::kOverContext;
    log::warn("no answer: {}{}", answer.fault->reason,
              is_full
                  ? "; hint: /clear forgets the conversation, --context-shift its oldest messages"
                  : "");
  } else if (!answer.texts.front().ended && !is_stopped()) {
    log::warn("the answer is cut off at {}, which --max-length or the model's context allows",
              counted(answer.texts.front().tokens, "token"));
  }
}

bool Terminal::handle(const std::string& line) {
  const bool is_command = line.size() > 1 && line[0] == '/' && line.find(' ') == line.npos &&
                          line.find('/', 1) == line.npos;
  if (is_command) return obey(line);
  if (std::ranges::all_of(line, [](char c) { return c == ' ' || c == '\t'; })) return true;
  if (!valid_utf8(line)) {
    log::warn("no answer: the line is not UTF-8");
    return true;
  }
  answer(line);
  if (signals_.signal() == 0) return true;
  const int signal = signals_.take();
  interrupts_ = 1;
  if (signal != SIGINT) status_ = kSignalStatus + signal;
  return signal == SIGINT;
}

int Terminal::run() {
  while (true) {
    if (is_terminal_) print_now(kPromptText);
    std::string line;
    const Read read = read_line(line);
    if (read == Read::kSignal) {
      if (!handle_signal()) break;
      continue;
    }
    if (read == Read::kEnd) break;
    interrupts_ = 0;
    if (line.ends_with('\r')) line.pop_back();
    if (!handle(line)) return status_;
  }
  if (is_terminal_) print_now("\n");
  return status_;
}

}  // namespace

int converse(Chat& chat) { return Terminal(chat).run(); }

}  // namespace weft::app
