#include "weft/train/fit.h"

#include <fmt/core.h>

#include <algorithm>

#include "weft/core/error.h"

namespace weft::train {
namespace {

constexpr int64_t kMinRows = 128;
constexpr int kMaxProbes = 12;

std::string megabytes(int64_t bytes) {
  return fmt::format("{:.0f}", static_cast<double>(bytes) / 1e6);
}

}  // namespace

int64_t fit_rows(int64_t budget, int64_t max_rows, const std::function<int64_t(int64_t)>& probe) {
  int64_t rows = std::min(kMinRows, max_rows), bytes = probe(rows);
  if (bytes > budget) {
    fail<OptionError>("--workspace",
                      "too small: an update of --mini-batch-words {} takes {} MB, got {}; hint: "
                      "--gradient-checkpointing or a smaller model needs less",
                      rows, megabytes(bytes), megabytes(budget));
  }
  // Memory grows about linearly: extrapolate from the last two points, and bisect after
  // overshooting.
  int64_t next = std::min(4 * rows, max_rows), too_large = max_rows + 1;
  for (int i = 0; i < kMaxProbes && next > rows && next < too_large; ++i) {
    const int64_t needed = probe(next);
    if (needed > budget) {
      too_large = next;
      next = rows + (too_large - rows) / 2;
      continue;
    }
    const double slope =
        std::max(1.0, static_cast<double>(needed - bytes)) / static_cast<double>(next - rows);
    rows = next;
    bytes = needed;
    const auto growth = static_cast<double>(budget - bytes) / slope;
    next = rows + static_cast<int64_t>(std::min(growth, static_cast<double>(7 * rows)));
    next = std::min({next, max_rows, too_large - 1});
    if (next - rows < rows / 50) break;
  }
  return rows;
}

}  // namespace weft::train
