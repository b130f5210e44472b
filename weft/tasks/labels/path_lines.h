// Reads the files whose paths are lines, and counts those that cannot be read.
#ifndef WEFT_TASKS_LABELS_PATH_LINES_H_
#define WEFT_TASKS_LABELS_PATH_LINES_H_

#include <functional>
#include <string>

#include "weft/decode/translate.h"
#include "weft/tasks/labels/line_encoder.h"

namespace weft::tasks {

// Calls read(path) for a line and counts the line in the report. Returns why nothing was read, or
// an empty text: for a line over the limit or without a path, and, with a warning, for an Error
// that read() throws.
std::string read_path(const decode::SourceLine& line, LineReport& report,
                      const std::function<void(const std::string& path)>& read);

}  // namespace weft::tasks

#endif  // WEFT_TASKS_LABELS_PATH_LINES_H_
