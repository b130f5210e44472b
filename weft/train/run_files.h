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

// Throws OptionError for an output that is an input, also one that no option names: a picture of a
// folder, a sound of a list.
void check_outputs(const Task& task, const ReadFiles& inputs);

}  // namespace weft::train

#endif  // WEFT_TRAIN_RUN_FILES_H_
