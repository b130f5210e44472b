// Prevents two processes from training the same model file or writing the same metrics.
#ifndef WEFT_TRAIN_FILE_LOCK_H_
#define WEFT_TRAIN_FILE_LOCK_H_

#include <string>
#include <string_view>

namespace weft::train {

// Holds an advisory lock on the file at `path` and removes the file on destruction. The system
// releases the lock of a killed process; the next process reuses its file. Throws FileError, saying
// what the other process is doing, if it holds the lock, and if the file cannot be created.
class FileLock {
 public:
  explicit FileLock(std::string path, std::string_view doing = "training this model");
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  std::string path_;
  int descriptor_;
};

// Checks whether the file at `path`, or the one that it is a symbolic link to, may be replaced:
// throws FileError if another process is training the model there, or the model whose checkpoint is
// there.
void check_not_training(const std::string& path);

}  // namespace weft::train

#endif  // WEFT_TRAIN_FILE_LOCK_H_
