#include "weft/core/files/read_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "weft/core/error.h"

namespace weft {
namespace {

using Identity = std::pair<uint64_t, uint64_t>;  // device, inode

}  // namespace

struct ReadFiles::Set {
  std::set<Identity> files;

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

void ReadFiles::note(uint64_t device, uint64_t inode) {
  if (!Set::has_any) return;
  const std::lock_guard lock(Set::mutex);
  for (Set* set : Set::all) set->files.emplace(device, inode);
}

void ReadFiles::add(const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return;
  const std::lock_guard lock(Set::mutex);
  files_->files.emplace(status.st_dev, status.st_ino);
}

bool ReadFiles::has(const std::string& path) const {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return false;
  const std::lock_guard lock(Set::mutex);
  return files_->files.contains({status.st_dev, status.st_ino});
}

void ReadFiles::check_output(std::string_view option, const std::string& path) const {
  if (!has(path)) return;
  fail<OptionError>(option, "would overwrite {}, which is an input; expected another file", path);
}

}  // namespace weft
