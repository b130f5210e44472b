// One trainer at a time on a model file.
#ifndef WEFT_TRAIN_FILE_LOCK_H_
#define WEFT_TRAIN_FILE_LOCK_H_

#include <string>

namespace weft::train {

// Holds an advisory lock on the file at `path` for as long as it lives, then removes the file. The
// system lets go of the lock when the process dies; a file that is left then is taken over. Throws
// FileError when another process holds it or the file cannot be made.
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
