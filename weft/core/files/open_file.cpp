#include "weft/core/files/open_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "weft/core/error.h"
#include "weft/core/files/read_files.h"
#include "weft/core/interruption.h"

namespace weft {

int open_for_reading(const std::string& path, Pipes pipes) {
  interruption_point();
  if (path.find('\0') != path.npos) {
    fail<FileError>(quote(path), "has a zero byte; expected a path");
  }
  // O_NONBLOCK: opening a named pipe would block until a writer opens it.
  const int flags = O_RDONLY | O_CLOEXEC | (pipes == Pipes::kRefused ? O_NONBLOCK : 0);
  const int file = ::open(path.c_str(), flags);
  if (file < 0) fail<FileError>(path, "cannot be opened: {}", std::strerror(errno));
  struct stat status = {};
  const bool is_known = ::fstat(file, &status) == 0;
  if (is_known &&
      (S_ISREG(status.st_mode) || (pipes == Pipes::kRead && !S_ISDIR(status.st_mode)))) {
    if (S_ISREG(status.st_mode)) ReadFiles::note(path, status.st_dev, status.st_ino);
    return file;
  }
  ::close(file);
  fail<FileError>(path, "is {}; expected a {}file",
                  is_known && S_ISDIR(status.st_mode) ? "a directory" : "a pipe or a device",
                  pipes == Pipes::kRefused ? "regular " : "");
}

ssize_t read_at(int file, uint64_t begin, void* out, size_t bytes) {
  size_t count = 0;
  while (count < bytes) {
    const ssize_t got = ::pread(file, static_cast<char*>(out) + count, bytes - count,
                                static_cast<off_t>(begin + count));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    count += static_cast<size_t>(got);
  }
  return static_cast<ssize_t>(count);
}

}  // namespace weft
