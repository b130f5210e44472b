// Long spans, piece by piece.
#ifndef WEFT_CORE_CHUNKS_H_
#define WEFT_CORE_CHUNKS_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace weft {

// Consecutive chunks of at most `most` items.
template <class T>
std::vector<std::span<T>> chunks(std::span<T> items, int64_t most) {
  const auto size = static_cast<size_t>(most);
  std::vector<std::span<T>> out;
  for (size_t begin = 0; begin < items.size(); begin += size) {
    out.push_back(items.subspan(begin, std::min(size, items.size() - begin)));
  }
  return out;
}

}  // namespace weft

#endif  // WEFT_CORE_CHUNKS_H_
