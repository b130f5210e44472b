#include "weft/train/file_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "weft/core/error.h"
#include "weft/core/locked_file.h"

namespace weft::train {

FileLock::FileLock(std::string path, std::string_view doing)
    : path_(std::move(path)), descriptor_(open_locked(path_, O_RDWR, 0644)) {
  if (descriptor_ >= 0) return;
  if (errno == EWOULDBLOCK) {
    fail<FileError>(path_, "another process is {}; hint: wait for it or end it", doing);
  }
  fail<FileError>(path_, "cannot be locked: {}", std::strerror(errno));
}

FileLock::~FileLock() {
  unlink(path_.c_str());  // before releasing the lock
  close(descriptor_);
}

}  // namespace weft::train
