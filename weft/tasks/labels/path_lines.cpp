#include "weft/tasks/labels/path_lines.h"

#include "weft/core/error.h"
#include "weft/core/log.h"

namespace weft::tasks {

std::string read_path(const decode::SourceLine& line, LineReport& report,
                      const std::function<void(const std::string& path)>& read) {
  ++report.lines;
  if (line.is_over_long) {
    ++report.over_long;
    return "the line is too long";
  }
  if (line.text.empty()) {
    ++report.empty;
    return "no path";
  }
  try {
    read(line.text);
    return {};
  } catch (const Error& error) {
    log::warn("line {}: {}", report.lines, error.what());
    ++report.faulty;
    return error.what();
  }
}

}  // namespace weft::tasks
