#include "weft/train/fit.h"

#include <fmt/core.h>

#include <algorithm>

#include "weft/core/error.h"

namespace weft::train {
namespace {

constexpr int64_t kMinWords = 128;
constexpr int kMaxProbes = 12;

std::string megabytes(int64_t bytes) {
  return fmt::format("{:.0f}", static_cast<double>(bytes) / 1e6);
}

}  // namespace

int64_t fit_words(int64_t budget, int64_t max_words, const std::function<int64_t(int64_t)>& probe) {
  int64_t words = std::min(kMinWords, max_words), bytes = probe(words);
  if (bytes > budget) {
    fail<OptionError>("--workspace",
                      "too small: an update of {} target tokens takes {} MB, got {}; hint: "
                      "--gradient-checkpointing or a smaller model needs less",
                      words, megabytes(bytes), megabytes(budget));
  }
  // Memory grows about linearly: extrapolate from the last two points, and bisect after
  // overshooting.
  int64_t next = std::min(4 * words, max_words), too_large = max_words + 1;
  for (int i = 0; i < kMaxProbes && next > words && next < too_large; ++i) {
    const int64_t needed = probe(next);
    if (needed > budget) {
      too_large = next;
      next = words + (too_large - words) / 2;
      continue;
    }
    const double slope =
        std::max(1.0, static_cast<double>(needed - bytes)) / static_cast<double>(next - words);
    words = next;
    bytes = needed;
    const auto growth = static_cast<double>(budget - bytes) / slope;
    next = words + static_cast<int64_t>(std::min(growth, static_cast<double>(7 * words)));
    next = std::min({next, max_words, too_large - 1});
    if (next - words < words / 50) break;
  }
  return words;
}

}  // namespace weft::train
