// A file that only grows, such as a log: what is written is in the file at once.
#ifndef WEFT_CORE_FILES_APPENDED_FILE_H_
#define WEFT_CORE_FILES_APPENDED_FILE_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

// Every failure is a FileError that names the path and the system's reason. A write that fails may
// leave a part of its bytes in the file.
class AppendedFile {
 public:
  // Opens the file, creating it if needed, and cuts off what it has after `size` bytes.
  AppendedFile(std::string path, uint64_t size);
  ~AppendedFile();
  AppendedFile(const AppendedFile&) = delete;
  AppendedFile& operator=(const AppendedFile&) = delete;

  // Unbuffered.
  void write(std::string_view bytes);
  // Returns once all bytes are on the disk.
  void sync();

 private:
  [[noreturn]] void fail_with_reason(const char* action) const;

  std::string path_;
  int file_ = -1;
};

}  // namespace weft

#endif  // WEFT_CORE_FILES_APPENDED_FILE_H_
