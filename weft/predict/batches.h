// Batches of requests for a forward pass.
#ifndef WEFT_PREDICT_BATCHES_H_
#define WEFT_PREDICT_BATCHES_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "weft/core/chunks.h"

namespace weft::predict {

// Calls run(numbers) for batches of at most `most` requests, those of similar length together, the
// longest first; length(i) is that of request i. `numbers` say which requests they are.
template <class Length, class Run>
void for_each_batch(size_t requests, int64_t most, Length length, Run run) {
  std::vector<size_t> order(requests);
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::greater(), length);
  for (const std::span<const size_t> numbers : chunks(std::span<const size_t>(order), most)) {
    run(numbers);
  }
}

}  // namespace weft::predict

#endif  // WEFT_PREDICT_BATCHES_H_
