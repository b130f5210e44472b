// Reads the files whose paths are lines.
#ifndef WEFT_PREDICT_PATH_LINES_H_
#define WEFT_PREDICT_PATH_LINES_H_

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/predict/line.h"

namespace weft::predict {

// Calls read(i, path) for each line i that has a path, on all threads at once. Returns for each
// line why it was not read, or nothing if it was read: the line's own fault, a missing path, or an
// Error that read() threw, which is also logged in a warning that names the line. The first line
// has the number `first`, counted from 0.
std::vector<std::optional<Fault>> read_paths(
    std::span<const Line> lines, int64_t first,
    const std::function<void(size_t line, const std::string& path)>& read);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_PATH_LINES_H_
