#include "weft/core/files/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "weft/core/error.h"
#include "weft/core/files/locked_file.h"
#include "weft/core/files/open_file.h"

namespace weft {

AtomicFile::AtomicFile(std::string path)
    : path_(std::move(path)), target_(resolve_links(path_)), partial_(target_ + ".partial") {
  struct stat old;
  const bool exists = stat(target_.c_str(), &old) == 0;
  // Renaming over a device or a pipe would remove it for every other process.
  if (exists && !S_ISREG(old.st_mode)) {
    fail<FileError>(path_, "cannot write: it exists and is not a regular file");
  }
  open_partial();
  if (exists) fchmod(file_, old.st_mode & 07777);
}

void AtomicFile::open_partial() {
  file_ = open_locked(partial_, O_RDWR, 0666);
  if (file_ < 0 && errno == EWOULDBLOCK) {
    fail<FileError>(path_, "cannot write: another process is writing it");
  }
  if (file_ < 0) fail_with_reason("create");
  if (ftruncate(file_, 0) != 0) {
    const int reason = errno;
    close(file_);
    errno = reason;
    fail_with_reason("empty its partial file");
  }
}

AtomicFile::~AtomicFile() {
  if (file_ < 0) return;
  unlink(partial_.c_str());
  close(file_);
}

void AtomicFile::write(const void* data, size_t bytes) {
  const auto* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::write(file_, next, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_with_reason("write");
    next += written;
    bytes -= static_cast<size_t>(written);
  }
}

void AtomicFile::overwrite(size_t begin, const void* data, size_t bytes) {
  const auto* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = pwrite(file_, next, bytes, static_cast<off_t>(begin));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_with_reason("write");
    next += written;
    begin += static_cast<size_t>(written);
    bytes -= static_cast<size_t>(written);
  }
}

void AtomicFile::read(size_t begin, void* out, size_t bytes) const {
  const ssize_t got = read_at(file_, begin, out, bytes);
  if (got < 0) fail_with_reason("read back");
  if (static_cast<size_t>(got) < bytes) {
    fail<FileError>(path_, "cannot read back: it ends at byte {}",
                    begin + static_cast<size_t>(got));
  }
}

void AtomicFile::commit() {
  if (fsync(file_) != 0) fail_with_reason("sync");
  if (rename(partial_.c_str(), target_.c_str()) != 0) fail_with_reason("replace");
  close(file_);
  file_ = -1;
  const auto folder = std::filesystem::path(target_).parent_path().string();
  const int directory = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY);
  // Skipped for a folder without read permission and for a file system that does not support it.
  if (directory < 0) return;
  const int status = fsync(directory);
  const int reason = errno;
  close(directory);
  errno = reason;
  if (status != 0 && errno == EIO) fail_with_reason("sync its folder");
}

void AtomicFile::fail_with_reason(const char* action) const {
  fail<FileError>(path_, "cannot {}: {}", action, std::strerror(errno));
}

std::string resolve_links(const std::string& path) {
  constexpr int kMaxLinks = 40;  // as in Linux
  std::filesystem::path current(path);
  std::error_code error;
  for (int i = 0; i <= kMaxLinks; ++i) {
    if (!std::filesystem::is_symlink(current, error)) return current.string();
    current = current.parent_path() / std::filesystem::read_symlink(current, error);
    if (error) fail<FileError>(path, "cannot follow the link: {}", error.message());
  }
  fail<FileError>(path, "cannot follow the link: {}", std::strerror(ELOOP));
}

void check_writable(const std::string& path) { const AtomicFile file(path); }

void write_file(const std::string& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) fail<FileError>(path, "cannot make the folder: {}", error.message());
}

void check_output(std::string_view option, const std::string& output,
                  std::span<const std::string> inputs) {
  std::error_code none;
  const auto path_of = [&](const std::string& name) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(name, none), none);
  };
  for (const std::string& input : inputs) {
    if (std::filesystem::exists(input, none) && !std::filesystem::is_regular_file(input, none)) {
      continue;  // a terminal, a pipe
    }
    // By name too: the files may not exist yet.
    const bool is_same = std::filesystem::equivalent(input, output, none) ||
                         (!input.empty() && path_of(input) == path_of(output));
    if (!is_same) continue;
    fail<OptionError>(option, "would overwrite {}, which is an input; expected another file",
                      input);
  }
}

}  // namespace weft
