#ifndef WEFT_INSPECT_MOST_PROBABLE_H_
#define WEFT_INSPECT_MOST_PROBABLE_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

namespace weft::inspect {

// The indices of the `count` greatest values at most, the greatest first, equals in their order.
inline std::vector<int32_t> most_probable(std::span<const float> values, int64_t count) {
  std::vector<int32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(), [&](int32_t index) { return values[index]; });
  order.resize(std::min(order.size(), static_cast<size_t>(count)));
  return order;
}

}  // namespace weft::inspect

#endif  // WEFT_INSPECT_MOST_PROBABLE_H_
