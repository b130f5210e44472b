#include "weft/train/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "weft/core/error.h"
#include "weft/core/files/atomic_file.h"
#include "weft/core/files/locked_file.h"
#include "weft/train/checkpoint.h"

namespace weft::train {
namespace {

constexpr int kNone = -1;

bool is_locked(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file == kNone) return false;
  const bool is_free = flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
  close(file);
  return !is_free;
}

}  // namespace

void check_not_training(const std::string& path) {
  constexpr std::string_view kCheckpoint = ".training.safetensors";
  std::string model = resolve_links(path);
  if (model.ends_with(kCheckpoint)) model.resize(model.size() - kCheckpoint.size());
  if (!is_locked(lock_path(model))) return;
  fail<FileError>(path, "another process is training this model; expected another file");
}

FileLock::FileLock(std::string path, std::string_view doing)
    : path_(std::move(path)), descriptor_(open_locked(path_, O_RDWR, 0644)) {
  if (descriptor_ >= 0) return;
  if (errno == EWOULDBLOCK) {
    fail<FileError>(path_, "another process is {}; hint: wait for it or end it", doing);
  }
  if (errno == ENOENT) {
    const std::string folder = std::filesystem::path(path_).parent_path().string();
    fail<FileError>(folder, "no such folder; expected one to write to");
  }
  fail<FileError>(path_, "cannot be locked: {}", std::strerror(errno));
}

FileLock::~FileLock() {
  unlink(path_.c_str());  // before releasing the lock
  close(descriptor_);
}

}  // namespace weft::train
