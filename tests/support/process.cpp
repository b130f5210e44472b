#include "tests/support/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <thread>

namespace weft::test {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Memory files instead of pipes, so that the child never blocks on writing.
int memory_file(const char* name, const std::string& content) {
  const int file = memfd_create(name, MFD_CLOEXEC);
  if (file < 0) throw std::runtime_error(std::strerror(errno));
  size_t written = 0;
  while (written < content.size()) {
    const ssize_t n = write(file, content.data() + written, content.size() - written);
    if (n <= 0) throw std::runtime_error(std::strerror(errno));
    written += static_cast<size_t>(n);
  }
  lseek(file, 0, SEEK_SET);
  return file;
}

std::string read_all(int file) {
  std::string out;
  char buffer[65536];
  off_t offset = 0;
  for (ssize_t n; (n = pread(file, buffer, sizeof buffer, offset)) > 0; offset += n)
    out.append(buffer, static_cast<size_t>(n));
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

void nap() { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }

}  // namespace

Process::Process(std::vector<std::string> argv, ProcessOptions options)
    : options_(std::move(options)), started_(now()) {
  const int input = memory_file("stdin", options_.input);
  output_ = options_.output_path.empty() ? memory_file("stdout", "")
                                         : open(options_.output_path.c_str(), O_WRONLY | O_CLOEXEC);
  errors_ = memory_file("stderr", "");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output_, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors_, STDERR_FILENO);
  if (!options_.folder.empty())
    posix_spawn_file_actions_addchdir_np(&actions, options_.folder.c_str());
  std::vector<std::string> environment = options_.environment;  // the first entry of a name counts
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  const int code = posix_spawn(&pid_, argv.at(0).c_str(), &actions, nullptr, pointers(argv).data(),
                               pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  close(input);
  if (code != 0) throw std::runtime_error(argv[0] + ": " + std::strerror(code));
}

Process::~Process() {
  if (is_running()) {
    send(SIGKILL);
    waitpid(pid_, &wait_status_, 0);
  }
  close(output_);
  close(errors_);
}

bool Process::is_running() {
  if (!ended_) ended_ = waitpid(pid_, &wait_status_, WNOHANG) == pid_;
  return !ended_;
}

void Process::send(int signal) const {
  if (!ended_) kill(pid_, signal);
}

std::string Process::output() const {
  return options_.output_path.empty() ? read_all(output_) : std::string();
}

std::string Process::errors() const { return read_all(errors_); }

bool Process::expired() const { return now() - started_ > options_.time_limit; }

bool Process::wait_for_error_text(const std::string& text) {
  for (;;) {
    const bool runs = is_running();
    if (errors().find(text) != std::string::npos) return true;
    if (!runs || expired()) return false;
    nap();
  }
}

ProcessResult Process::wait() {
  ProcessResult out;
  while (is_running()) {
    if (expired() && !out.timed_out) {
      out.timed_out = true;
      send(SIGKILL);
    }
    nap();
  }
  if (WIFEXITED(wait_status_)) out.status = WEXITSTATUS(wait_status_);
  if (WIFSIGNALED(wait_status_)) out.signal = WTERMSIG(wait_status_);
  out.output = output();
  out.errors = errors();
  return out;
}

ProcessResult run_process(std::vector<std::string> argv, ProcessOptions options) {
  return Process(std::move(argv), std::move(options)).wait();
}

}  // namespace weft::test
