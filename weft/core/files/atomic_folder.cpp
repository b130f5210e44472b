#include "weft/core/files/atomic_folder.h"

#include <filesystem>

#include "weft/core/error.h"
#include "weft/core/files/atomic_file.h"

namespace weft {

namespace fs = std::filesystem;

AtomicFolder::AtomicFolder(std::string folder)
    : path_(fs::path(std::move(folder)).lexically_normal()) {
  if (path_.ends_with('/')) path_.pop_back();
  partial_ = path_ + ".partial";
  std::error_code ignored;
  if (fs::exists(path_, ignored) && !fs::is_empty(path_, ignored)) {
    fail<FileError>(path_, "exists; expected the name of a new or an empty folder");
  }
  if (fs::exists(partial_, ignored)) {
    fail<FileError>(partial_, "exists, of a conversion that runs or was stopped; hint: remove it");
  }
}

AtomicFolder::~AtomicFolder() {
  if (!is_committed_) remove_partial();
}

void AtomicFolder::start() {
  remove_partial();
  make_folder(partial_);
}

void AtomicFolder::commit() {
  std::error_code error;
  fs::rename(partial_, path_, error);
  if (error) fail<FileError>(path_, "cannot be written: {}", error.message());
  is_committed_ = true;
}

void AtomicFolder::remove_partial() const {
  std::error_code ignored;
  fs::remove_all(partial_, ignored);
}

}  // namespace weft
