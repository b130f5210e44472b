// A file that is held open and read at any place.
#ifndef WEFT_CORE_FILES_POSITIONED_FILE_H_
#define WEFT_CORE_FILES_POSITIONED_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace weft {

// Unlike a memory map (MappedFile) it may be shortened while it is in use, which ends a process
// that reads the map by SIGBUS. Any number of threads may read at a time.
class PositionedFile {
 public:
  // Throws FileError if the file cannot be opened or is not a regular file.
  explicit PositionedFile(std::string path);
  ~PositionedFile();
  PositionedFile(const PositionedFile&) = delete;
  PositionedFile& operator=(const PositionedFile&) = delete;

  const std::string& path() const { return path_; }
  uint64_t size() const { return size_; }  // in bytes, when it was opened
  // Reads up to `bytes` bytes from byte `begin` on and returns their number, which is lower only
  // where the file ends. Throws FileError.
  size_t read(uint64_t begin, void* out, size_t bytes) const;

 private:
  std::string path_;
  int file_;
  uint64_t size_;
};

}  // namespace weft

#endif  // WEFT_CORE_FILES_POSITIONED_FILE_H_
