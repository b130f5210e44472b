#include "weft/nn/recurrent/packed_sequence.h"

#include <algorithm>
#include <numeric>

#include "weft/core/error.h"

namespace weft::nn {

PackedSequence::PackedSequence(const ops::Layout& packed, Direction direction) {
  const auto length = [&](int32_t b) { return packed.segments.length(b); };
  std::vector<int32_t> order(static_cast<size_t>(packed.sequences()));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(), length);
  if (!order.empty() && length(order.back()) == 0) {
    fail<ShapeError>("recurrent", "sequence {} has no tokens; expected one at least", order.back());
  }
  std::vector<int32_t> begins{0}, at, ends(order.size());
  auto moved = std::make_shared<ops::Layout>();
  size_t alive = order.size();
  for (int32_t t = 0;; ++t) {
    while (alive > 0 && length(order[alive - 1]) <= t) --alive;
    if (alive == 0) break;
    for (size_t i = 0; i < alive; ++i) {
      const int32_t b = order[i], end = packed.segments.end(b) - 1;
      if (t + 1 == length(b)) ends[b] = static_cast<int32_t>(at.size());
      at.push_back(direction == Direction::kForward ? packed.segments.begin(b) + t : end - t);
      moved->sequence.push_back(packed.sequence[at.back()]);
      moved->position.push_back(packed.position[at.back()]);
    }
    begins.push_back(static_cast<int32_t>(at.size()));
  }
  steps = std::make_shared<const std::vector<int32_t>>(std::move(begins));
  rows = ops::make_selection(std::move(at), packed.count());
  sequences = ops::make_selection(std::move(order), packed.sequences());
  last = ops::make_selection(std::move(ends), packed.count());
  numbered = std::move(moved);
}

}  // namespace weft::nn
