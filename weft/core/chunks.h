// Long spans, piece by piece.
#ifndef WEFT_CORE_CHUNKS_H_
#define WEFT_CORE_CHUNKS_H_

#include <algorithm>
#include <cstdint>
#include <span>

namespace weft {

// Calls visit(chunk, begin) for consecutive chunks of at most `most` items, `begin` being the index
// of a chunk's first item.
template <class T, class Visit>
void for_each_chunk(std::span<T> items, int64_t most, Visit visit) {
  const auto size = static_cast<size_t>(most);
  for (size_t begin = 0; begin < items.size(); begin += size) {
    visit(items.subspan(begin, std::min(size, items.size() - begin)), begin);
  }
}

}  // namespace weft

#endif  // WEFT_CORE_CHUNKS_H_
