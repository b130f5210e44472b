#include "weft/core/files/mapped_file.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "weft/core/error.h"
#include "weft/core/files/open_file.h"

namespace weft {

MappedFile::MappedFile(const std::string& path) {
  const int file = open_for_reading(path, Pipes::kRefused);
  struct stat status = {};
  fstat(file, &status);
  size_ = static_cast<size_t>(status.st_size);
  // mmap() rejects a length of 0.
  void* memory = size_ == 0 ? nullptr : mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
  const int reason = errno;
  close(file);
  if (memory == MAP_FAILED) fail<FileError>(path, "cannot map: {}", std::strerror(reason));
  data_ = static_cast<const char*>(memory);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(const_cast<char*>(data_), size_);
}

void MappedFile::release(const void* data, size_t bytes) const noexcept {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t before = (page - reinterpret_cast<uintptr_t>(data) % page) % page;
  if (bytes < before + page) return;  // no whole page inside
  auto* begin = static_cast<std::byte*>(const_cast<void*>(data)) + before;
  madvise(begin, (bytes - before) / page * page, MADV_DONTNEED);
}

}  // namespace weft
