#include "weft/autograd/completion.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace weft::autograd {

std::vector<ParameterUse> completions(const std::vector<ParameterUse>& uses, int64_t parameters) {
  // Ranges may overlap (a view over Q, K and V, then Q alone): between two bounds they do not.
  std::vector<int64_t> bounds = {0, parameters};
  for (const ParameterUse& use : uses) bounds.insert(bounds.end(), {use.begin, use.end});
  std::ranges::sort(bounds);
  bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
  const auto index = [&](int64_t bound) {
    return std::ranges::lower_bound(bounds, bound) - bounds.begin();
  };
  constexpr int32_t kNone = std::numeric_limits<int32_t>::max();
  std::vector<int32_t> first(bounds.size() - 1, kNone);
  for (const ParameterUse& use : uses) {
    for (auto i = index(use.begin); i < index(use.end); ++i) {
      first[i] = std::min(first[i], use.node);
    }
  }
  std::ranges::replace(first, kNone, -1);
  std::vector<ParameterUse> out;
  for (size_t i = 0; i < first.size(); ++i) {
    if (!out.empty() && out.back().node == first[i]) {
      out.back().end = bounds[i + 1];
    } else {
      out.push_back({first[i], bounds[i], bounds[i + 1]});
    }
  }
  std::ranges::stable_sort(out, std::ranges::greater(), &ParameterUse::node);
  return out;
}

}  // namespace weft::autograd
