#include "weft/predict/path_lines.h"

#include "weft/core/error.h"
#include "weft/core/log.h"
#include "weft/core/parallel.h"

namespace weft::predict {

std::vector<std::optional<std::string>> read_paths(
    std::span<const Line> lines, LineReport& report,
    const std::function<void(size_t line, const std::string& path)>& read) {
  std::vector<std::optional<std::string>> faults(lines.size());
  parallel_for(std::ssize(lines), 1, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      if (lines[i].is_over_long || lines[i].text.empty()) continue;
      try {
        read(i, lines[i].text);
      } catch (const Error& error) {
        faults[i] = error.what();
      }
    }
  });
  for (size_t i = 0; i < lines.size(); ++i) {
    ++report.lines;
    if (lines[i].is_over_long) {
      ++report.over_long;
      faults[i] = "the line is too long";
    } else if (lines[i].text.empty()) {
      ++report.empty;
      faults[i] = "no path";
    } else if (faults[i]) {
      ++report.faulty;
      log::warn("line {}: {}", report.lines, *faults[i]);
    }
  }
  return faults;
}

}  // namespace weft::predict
