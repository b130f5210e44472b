#include "weft/core/files/locked_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace weft {
namespace {

bool is_same_file(int file, const std::string& path) {
  struct stat open_file, named_file;
  return fstat(file, &open_file) == 0 && stat(path.c_str(), &named_file) == 0 &&
         open_file.st_dev == named_file.st_dev && open_file.st_ino == named_file.st_ino;
}

}  // namespace

int open_locked(const std::string& path, int access, mode_t mode) {
  while (true) {
    const int file = open(path.c_str(), access | O_CREAT | O_CLOEXEC, mode);
    if (file < 0) return -1;
    if (flock(file, LOCK_EX | LOCK_NB) != 0) {
      const int reason = errno;
      close(file);
      errno = reason;
      return -1;
    }
    // Between open() and flock() the previous holder may have unlinked or renamed the file.
    if (is_same_file(file, path)) return file;
    close(file);
  }
}

}  // namespace weft
