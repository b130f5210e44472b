// One trainer at a time on a model file.
#ifndef WEFT_TRAIN_FILE_LOCK_H_
#define WEFT_TRAIN_FILE_LOCK_H_

#include <string>

namespace weft::train {

// Holds an advisory lock on `path` for as long as it lives; the system lets go of it when the
// process dies. Throws FileError when another process holds it or the file cannot be made.
class FileLock {
 public:
  explicit FileLock(std::string path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  std::string path_;
  int descriptor_;
};

}  // namespace weft::train

#endif  // WEFT_TRAIN_FILE_LOCK_H_
