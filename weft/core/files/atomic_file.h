// A file that is written completely or not at all: data goes to `<path>.partial`, which is renamed
// to `path` once every byte is on the disk. Until then an existing file at `path` is unchanged.
#ifndef WEFT_CORE_FILES_ATOMIC_FILE_H_
#define WEFT_CORE_FILES_ATOMIC_FILE_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace weft {

// Every failure is a FileError that names the path and the system's reason. A killed process leaves
// `<path>.partial` behind; the next writer reuses it. A second concurrent writer is an error.
// Symbolic links are followed, and the permissions of an existing file are kept.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  ~AtomicFile();  // removes the partial file unless commit() was called
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  // Replaces `bytes` written bytes from offset `begin`.
  void overwrite(size_t begin, const void* data, size_t bytes);
  // Reads `bytes` written bytes from offset `begin`.
  void read(size_t begin, void* out, size_t bytes) const;
  // Syncs the file, renames it and syncs its folder. No write may follow.
  void commit();

 private:
  void open_partial();
  [[noreturn]] void fail_with_reason(const char* action) const;

  std::string path_;    // as given, for messages
  std::string target_;  // with symbolic links resolved
  std::string partial_;
  int file_ = -1;
};

// The path that a chain of symbolic links leads to, whether or not a file exists there. Throws
// FileError for a cycle or a link that cannot be read.
std::string resolve_links(const std::string& path);

// Throws FileError unless a file can be written at `path`. For an early check of files that are
// written much later.
void check_writable(const std::string& path);

// Writes `content` to `path` atomically.
void write_file(const std::string& path, std::string_view content);

// Makes the folder and those above it, unless they are there. Throws FileError.
void make_folder(const std::string& path);

// Throws OptionError, naming `option`, if `output` is the same file as one of `inputs`, also
// through links or another spelling of the path.
void check_output(std::string_view option, const std::string& output,
                  std::span<const std::string> inputs);

}  // namespace weft

#endif  // WEFT_CORE_FILES_ATOMIC_FILE_H_
