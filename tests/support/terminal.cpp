#include "tests/support/terminal.h"

#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>

namespace weft::test {

Terminal::Terminal(std::vector<std::string> argv, const std::string& folder) {
  std::vector<char*> arguments;
  for (std::string& argument : argv) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  pid_ = ::forkpty(&master_, nullptr, nullptr, nullptr);
  if (pid_ < 0) throw std::runtime_error(std::strerror(errno));
  if (pid_ > 0) return;
  if (::chdir(folder.c_str()) == 0) ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

Terminal::~Terminal() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ::close(master_);
}

void Terminal::type(std::string_view keys) const {
  if (::write(master_, keys.data(), keys.size()) != static_cast<ssize_t>(keys.size())) {
    throw std::runtime_error(std::strerror(errno));
  }
}

bool Terminal::read_more() {
  constexpr int kLongestSilence = 60'000;  // milliseconds
  pollfd waited{.fd = master_, .events = POLLIN, .revents = 0};
  if (::poll(&waited, 1, kLongestSilence) <= 0) return false;
  std::array<char, 4096> buffer{};
  const ssize_t count = ::read(master_, buffer.data(), buffer.size());
  if (count <= 0) return false;
  screen_.append(buffer.data(), static_cast<size_t>(count));
  return true;
}

bool Terminal::shows(std::string_view text) {
  size_t found = 0;
  while ((found = screen_.find(text, seen_)) == screen_.npos) {
    if (!read_more()) return false;
  }
  seen_ = found + text.size();
  return true;
}

int Terminal::end() {
  while (read_more()) {
  }
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace weft::test
