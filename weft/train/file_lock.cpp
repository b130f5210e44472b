#include "weft/train/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "weft/core/error.h"

namespace weft::train {

FileLock::FileLock(std::string path)
    : path_(std::move(path)), descriptor_(open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
  if (descriptor_ < 0) fail<FileError>(path_, "cannot be opened: {}", std::strerror(errno));
  if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  const int reason = errno;
  close(descriptor_);
  if (reason == EWOULDBLOCK) {
    fail<FileError>(path_, "another process is training this model; hint: wait for it or end it");
  }
  fail<FileError>(path_, "cannot be locked: {}", std::strerror(reason));
}

// The file stays: removing it would let two processes lock two files of one name.
FileLock::~FileLock() { close(descriptor_); }

}  // namespace weft::train
