// A folder that is written completely or not at all: its files go to `<folder>.partial`, which is
// renamed to `folder` at the end.
#ifndef WEFT_CORE_FILES_ATOMIC_FOLDER_H_
#define WEFT_CORE_FILES_ATOMIC_FOLDER_H_

#include <string>

namespace weft {

// Every failure is a FileError.
class AtomicFolder {
 public:
  // Throws if the folder exists and is not empty, or a partial folder exists.
  explicit AtomicFolder(std::string folder);
  ~AtomicFolder();  // removes the partial folder unless commit() was called
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;

  const std::string& path() const { return path_; }
  const std::string& partial() const { return partial_; }  // where files are written
  void start();  // makes the partial folder, without files; several times where a try failed
  void commit();

 private:
  void remove_partial() const;

  std::string path_, partial_;
  bool is_committed_ = false;
};

}  // namespace weft

#endif  // WEFT_CORE_FILES_ATOMIC_FOLDER_H_
