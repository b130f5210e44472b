#include "weft/predict/path_lines.h"

#include "weft/core/error.h"
#include "weft/core/log.h"
#include "weft/core/parallel.h"

namespace weft::predict {

std::vector<std::optional<Fault>> read_paths(
    std::span<const Line> lines, int64_t first,
    const std::function<void(size_t line, const std::string& path)>& read) {
  std::vector<std::optional<Fault>> faults(lines.size());
  parallel_for(std::ssize(lines), 1, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      faults[i] = lines[i].fault;
      if (faults[i]) continue;
      if (lines[i].text.empty()) {
        faults[i] = Fault{FaultKind::kEmpty, "no path"};
        continue;
      }
      try {
        read(i, lines[i].text);
      } catch (const Error& error) {
        faults[i] = Fault{FaultKind::kUnreadable, error.what()};
      }
    }
  });
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!faults[i] || faults[i]->kind != FaultKind::kUnreadable) continue;
    log::warn("line {}: {}", first + static_cast<int64_t>(i) + 1, faults[i]->reason);
  }
  return faults;
}

}  // namespace weft::predict
