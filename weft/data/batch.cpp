#include "weft/data/batch.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace weft::data {

Ragged make_ragged(const std::vector<std::vector<int32_t>>& sentences, int32_t end_id) {
  Ragged out;
  for (const std::vector<int32_t>& sentence : sentences) out.add(sentence, end_id);
  return out;
}

std::vector<int64_t> longest_first(const Ragged& sentences) {
  std::vector<int64_t> order(static_cast<size_t>(sentences.sentences()));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(), [&](int64_t s) { return sentences[s].size(); });
  return order;
}

Batch slice(const Batch& batch, int64_t begin, int64_t end) {
  Batch out;
  for (const Ragged& side : batch.sides) {
    Ragged& part = out.sides.emplace_back();
    for (int64_t b = begin; b < end; ++b) part.add(side[b]);
  }
  out.numbers.assign(batch.numbers.begin() + begin, batch.numbers.begin() + end);
  return out;
}

}  // namespace weft::data
