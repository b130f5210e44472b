// A read-only memory map of a file.
#ifndef WEFT_CORE_FILES_MAPPED_FILE_H_
#define WEFT_CORE_FILES_MAPPED_FILE_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace weft {

class MappedFile {
 public:
  // Throws FileError if the file cannot be opened or mapped, or is not a regular file.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return {data_, size_}; }
  // Lets the system reclaim the pages of these bytes (MADV_DONTNEED); they are read again on
  // access.
  void release(const void* data, size_t bytes) const noexcept;

 private:
  const char* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace weft

#endif  // WEFT_CORE_FILES_MAPPED_FILE_H_
