#include "tests/support/conversation.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace weft::test {
namespace {

constexpr int kLongestSilence = 60'000;  // milliseconds

struct Pipe {
  Pipe() {
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error(std::strerror(errno));
  }
  int ends[2];  // to read from, to write to
};

}  // namespace

Conversation::Conversation(std::vector<std::string> argv, const std::string& folder)
    : errors_(::memfd_create("stderr", MFD_CLOEXEC)) {
  const Pipe input, output;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.ends[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors_, STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  std::vector<char*> arguments;
  for (std::string& argument : argv) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  const int code =
      posix_spawn(&pid_, argv.at(0).c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(input.ends[0]);
  ::close(output.ends[1]);
  input_ = input.ends[1];
  output_ = output.ends[0];
  if (code != 0) throw std::runtime_error(argv[0] + ": " + std::strerror(code));
}

Conversation::~Conversation() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  for (const int descriptor : {input_, output_, errors_}) {
    if (descriptor >= 0) ::close(descriptor);
  }
}

void Conversation::say(const std::string& text) const {
  if (::write(input_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw std::runtime_error(std::strerror(errno));
  }
}

std::optional<std::string> Conversation::answer() {
  size_t end;
  while ((end = read_.find('\n')) == read_.npos) {
    pollfd polled{.fd = output_, .events = POLLIN, .revents = 0};
    char buffer[4096];
    if (::poll(&polled, 1, kLongestSilence) != 1) return std::nullopt;
    const ssize_t got = ::read(output_, buffer, sizeof buffer);
    if (got <= 0) return std::nullopt;
    read_.append(buffer, static_cast<size_t>(got));
  }
  std::string line = read_.substr(0, end);
  read_.erase(0, end + 1);
  return line;
}

void Conversation::send(int signal) const { ::kill(pid_, signal); }

int Conversation::end() {
  ::close(std::exchange(input_, -1));
  int status = 0;
  ::waitpid(std::exchange(pid_, -1), &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string Conversation::errors() const {
  std::string out;
  char buffer[4096];
  for (ssize_t n;
       (n = ::pread(errors_, buffer, sizeof buffer, static_cast<off_t>(out.size()))) > 0;)
    out.append(buffer, static_cast<size_t>(n));
  return out;
}

}  // namespace weft::test
