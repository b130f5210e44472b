#include "weft/core/files/positioned_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "weft/core/error.h"
#include "weft/core/files/open_file.h"

namespace weft {

PositionedFile::PositionedFile(std::string path)
    : path_(std::move(path)), file_(open_for_reading(path_, Pipes::kRefused)) {
  struct stat status = {};
  fstat(file_, &status);
  size_ = static_cast<uint64_t>(status.st_size);
}

PositionedFile::~PositionedFile() { close(file_); }

size_t PositionedFile::read(uint64_t begin, void* out, size_t bytes) const {
  const ssize_t got = read_at(file_, begin, out, bytes);
  if (got < 0) fail<FileError>(path_, "cannot be read: {}", std::strerror(errno));
  return static_cast<size_t>(got);
}

}  // namespace weft
