#include "weft/train/fit.h"

#include <algorithm>

#include "weft/core/error.h"

namespace weft::train {
namespace {

constexpr int64_t kLeastWords = 128;
constexpr int kMostProbes = 12;

double megabytes(int64_t bytes) { return static_cast<double>(bytes) / 1e6; }

}  // namespace

int64_t fit_words(int64_t budget, int64_t most, const std::function<int64_t(int64_t)>& probe) {
  int64_t words = std::min(kLeastWords, most), bytes = probe(words);
  if (bytes > budget) {
    fail<OptionError>("--workspace",
                      "updates of {} target tokens take {:.0f} MB; expected at least so much, got "
                      "{:.0f}; hint: --gradient-checkpointing or a smaller model needs less",
                      words, megabytes(bytes), megabytes(budget));
  }
  // Memory grows along a line: each step goes where the last two points say, and halves its way
  // back where that was too far.
  int64_t next = std::min(4 * words, most), beyond = most + 1;
  for (int i = 0; i < kMostProbes && next > words && next < beyond; ++i) {
    const int64_t needed = probe(next);
    if (needed > budget) {
      beyond = next;
      next = words + (beyond - words) / 2;
      continue;
    }
    const double slope =
        std::max(1.0, static_cast<double>(needed - bytes)) / static_cast<double>(next - words);
    words = next;
    bytes = needed;
    const auto room = static_cast<double>(budget - bytes) / slope;
    next = words + static_cast<int64_t>(std::min(room, static_cast<double>(7 * words)));
    next = std::min({next, most, beyond - 1});
    if (next - words < words / 50) break;
  }
  return words;
}

}  // namespace weft::train
