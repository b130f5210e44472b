#include "weft/core/locked_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace weft {
namespace {

bool is_at(int file, const std::string& path) {
  struct stat open_one, named_one;
  return fstat(file, &open_one) == 0 && stat(path.c_str(), &named_one) == 0 &&
         open_one.st_dev == named_one.st_dev && open_one.st_ino == named_one.st_ino;
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
    // Between open and lock the holder may have unlinked or renamed this very file.
    if (is_at(file, path)) return file;
    close(file);
  }
}

}  // namespace weft
