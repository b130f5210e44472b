// A file that appears whole or not at all: what is written goes to `<path>.partial`, which takes
// the name `path` once every byte is on the disk. Until then an older file at `path` is untouched.
#ifndef WEFT_CORE_ATOMIC_FILE_H_
#define WEFT_CORE_ATOMIC_FILE_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace weft {

// Every failure is a FileError that names the path and the system's reason. A process that was
// killed leaves `<path>.partial` behind, which the next writer takes over; two writers at a time
// are refused. A symbolic link is followed, and an existing file's permissions are kept.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  ~AtomicFile();  // without commit(): removes what was written
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  // Reads back what was written, from its byte `begin` on.
  void read(size_t begin, void* to, size_t bytes) const;
  // Syncs the file, gives it its name and syncs its folder. Nothing may be written after it.
  void commit();

 private:
  void open_partial();
  [[noreturn]] void fail_with_reason(const char* doing) const;

  std::string path_;    // as given, for messages
  std::string target_;  // behind symbolic links
  std::string partial_;
  int file_ = -1;
};

// Throws FileError for a path that no file can be written to; for what is written only later.
void check_writable(const std::string& path);

// Replaces the file at `path` by one that holds `content`.
void write_file(const std::string& path, std::string_view content);

// Throws OptionError, naming `option`, where the file to write is one of those to read, under
// whatever name.
void check_output(std::string_view option, const std::string& output,
                  std::span<const std::string> inputs);

}  // namespace weft

#endif  // WEFT_CORE_ATOMIC_FILE_H_
