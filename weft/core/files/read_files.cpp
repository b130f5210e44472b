#include "weft/core/files/read_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "weft/core/error.h"

namespace weft {
namespace {

using Identity = std::pair<uint64_t, uint64_t>;  // device, inode

// Nothing where there is no file.
std::optional<Identity> identity_of(const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return Identity{status.st_dev, status.st_ino};
}

std::optional<Identity> folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return identity_of(folder.empty() ? "." : folder.string());
}

}  // namespace

struct ReadFiles::Set {
  std::set<Identity> files, folders;

  void add(const Identity& file, const std::optional<Identity>& folder) {
    files.insert(file);
    if (folder) folders.insert(*folder);
  }

  // Guards all sets and the list of them.
  static inline std::mutex mutex;
  static inline std::vector<Set*> all;
  static inline std::atomic<bool> has_any = false;
};

ReadFiles::ReadFiles() : files_(std::make_unique<Set>()) {
  const std::lock_guard lock(Set::mutex);
  Set::all.push_back(files_.get());
  Set::has_any = true;
}

ReadFiles::~ReadFiles() {
  const std::lock_guard lock(Set::mutex);
  std::erase(Set::all, files_.get());
  Set::has_any = !Set::all.empty();
}

void ReadFiles::note(const std::string& path, uint64_t device, uint64_t inode) {
  if (!Set::has_any) return;
  const std::optional<Identity> folder = folder_of(path);
  const std::lock_guard lock(Set::mutex);
  for (Set* set : Set::all) set->add({device, inode}, folder);
}

void ReadFiles::add(const std::string& path) {
  const std::optional<Identity> file = identity_of(path), folder = folder_of(path);
  const std::lock_guard lock(Set::mutex);
  if (file) files_->add(*file, folder);
}

bool ReadFiles::has(const std::string& path) const {
  const std::optional<Identity> file = identity_of(path);
  const std::lock_guard lock(Set::mutex);
  return file && files_->files.contains(*file);
}

bool ReadFiles::has_in(const std::string& folder) const {
  const std::optional<Identity> found = identity_of(folder);
  const std::lock_guard lock(Set::mutex);
  return found && files_->folders.contains(*found);
}

void ReadFiles::check_output(std::string_view option, const std::string& path) const {
  if (!has(path)) return;
  fail<OptionError>(option, "would overwrite {}, which is an input; expected another file", path);
}

}  // namespace weft
