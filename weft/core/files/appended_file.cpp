#include "weft/core/files/appended_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "weft/core/error.h"

namespace weft {

AppendedFile::AppendedFile(std::string path, uint64_t size) : path_(std::move(path)) {
  constexpr mode_t kMode = 0666;
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kMode);
  if (file_ < 0) fail_with_reason("open");
  if (::ftruncate(file_, static_cast<off_t>(size)) == 0) return;
  const int reason = errno;
  ::close(file_);
  errno = reason;
  fail_with_reason("shorten");
}

AppendedFile::~AppendedFile() { ::close(file_); }

void AppendedFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_with_reason("write");
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

void AppendedFile::sync() {
  if (::fsync(file_) != 0) fail_with_reason("sync");
}

void AppendedFile::fail_with_reason(const char* action) const {
  fail<FileError>(path_, "cannot {}: {}", action, std::strerror(errno));
}

}  // namespace weft
