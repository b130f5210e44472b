#include "weft/core/text/nearest.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

namespace weft {

int edit_distance(std::string_view a, std::string_view b) {
  const size_t n = b.size();
  std::vector<int> before(n + 1), previous(n + 1), current(n + 1);
  for (size_t j = 0; j <= n; ++j) previous[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    current[0] = static_cast<int>(i);
    for (size_t j = 1; j <= n; ++j) {
      const int substitution = previous[j - 1] + (a[i - 1] != b[j - 1]);
      current[j] = std::min({substitution, previous[j] + 1, current[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        current[j] = std::min(current[j], before[j - 2] + 1);
    }
    before.swap(previous);
    previous.swap(current);
  }
  return previous[n];
}

std::string nearest(std::string_view name, std::span<const std::string> known) {
  constexpr size_t kLongestName = 100;
  if (name.size() > kLongestName) return "";
  std::string best;
  int best_distance = std::max(1, static_cast<int>(name.size()) / 3) + 1;
  for (const std::string& candidate : known) {
    const int distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string nearest_hint(std::string_view name, std::span<const std::string> known,
                         std::string_view prefix) {
  const std::string best = nearest(name, known);
  return best.empty() ? "" : fmt::format("; hint: did you mean {}{}?", prefix, best);
}

}  // namespace weft
