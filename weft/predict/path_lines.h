// Reads the files whose paths are lines, and counts those that cannot be read.
#ifndef WEFT_PREDICT_PATH_LINES_H_
#define WEFT_PREDICT_PATH_LINES_H_

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/predict/line.h"
#include "weft/predict/line_encoder.h"

namespace weft::predict {

// Calls read(i, path) for each line i that has a path, on all threads at once, and counts the lines
// in the report. Returns for each line why nothing was read, if so: a line over the limit or
// without a path, and, with a warning, an Error that read() threw.
std::vector<std::optional<std::string>> read_paths(
    std::span<const Line> lines, LineReport& report,
    const std::function<void(size_t line, const std::string& path)>& read);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_PATH_LINES_H_
