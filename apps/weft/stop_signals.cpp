#include "apps/weft/stop_signals.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "weft/core/error.h"

namespace weft::app {
namespace {

constexpr std::array kStopSignals = {SIGINT, SIGTERM};

// Of the object that lives.
volatile std::sig_atomic_t first_signal = 0;
volatile std::sig_atomic_t wake_file = -1;

extern "C" void note_stop(int signal) {
  const int error = errno;
  if (first_signal == 0) first_signal = signal;
  const ssize_t written = ::write(wake_file, "", 1);
  static_cast<void>(written);  // a pipe that is full wakes, too
  errno = error;
}

void set_handler(void (*handler)(int)) {
  for (const int signal : kStopSignals) {
    if (std::signal(signal, handler) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

}  // namespace

StopSignals::StopSignals() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    fail<FileError>("signals", "no pipe: {}", std::strerror(errno));
  }
  read_end_ = ends[0];
  write_end_ = ends[1];
  wake_file = write_end_;
  first_signal = 0;
  set_handler(note_stop);
}

StopSignals::~StopSignals() {
  set_handler(SIG_DFL);
  ::close(read_end_);
  ::close(write_end_);
}

bool StopSignals::wait_for(int file) const {
  std::array<pollfd, 2> files = {pollfd{.fd = read_end_, .events = POLLIN, .revents = 0},
                                 pollfd{.fd = file, .events = POLLIN, .revents = 0}};
  while (::poll(files.data(), files.size(), -1) < 0) {
    if (errno != EINTR) fail<FileError>("input", "cannot be waited for: {}", std::strerror(errno));
  }
  return files[0].revents == 0;
}

int StopSignals::signal() const { return first_signal; }

int StopSignals::take() const {
  const int found = first_signal;
  if (found == 0) return 0;
  std::array<char, 16> bytes{};
  while (::read(read_end_, bytes.data(), bytes.size()) > 0) {
  }
  first_signal = 0;
  return found;
}

}  // namespace weft::app
