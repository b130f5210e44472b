// The files that a training reads and writes: checks, and a lock.
#ifndef WEFT_TRAIN_RUN_FILES_H_
#define WEFT_TRAIN_RUN_FILES_H_

#include <string>

#include "weft/core/files/read_files.h"
#include "weft/train/task.h"

namespace weft::train {

// The lock of a file of metrics, the same for every spelling of its path.
std::string metrics_lock_path(const std::string& metrics);

// Throws OptionError for contradicting file options, FileError if the model path is a directory.
void check_files(const Task& task);

// Throws OptionError if an output file is also an input file, even an input that no option names,
// such as a picture in a folder or a sound in a list.
void check_outputs(const Task& task, const ReadFiles& inputs);

}  // namespace weft::train

#endif  // WEFT_TRAIN_RUN_FILES_H_
