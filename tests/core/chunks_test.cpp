#include "weft/core/chunks.h"

#include <gmock/gmock.h>

#include <vector>

namespace weft {
namespace {

std::vector<std::vector<int>> chunks_of(std::vector<int> items, int64_t most) {
  std::vector<std::vector<int>> out;
  for_each_chunk(std::span(items), most, [&](std::span<int> chunk, size_t begin) {
    EXPECT_EQ(chunk.data(), items.data() + begin);
    out.emplace_back(chunk.begin(), chunk.end());
  });
  return out;
}

TEST(ForEachChunk, CoversAllItemsInOrder) {
  using Chunks = std::vector<std::vector<int>>;
  EXPECT_EQ(chunks_of({1, 2, 3, 4, 5}, 2), (Chunks{{1, 2}, {3, 4}, {5}}));
  EXPECT_EQ(chunks_of({1, 2, 3, 4}, 2), (Chunks{{1, 2}, {3, 4}}));
  EXPECT_EQ(chunks_of({1, 2}, 9), (Chunks{{1, 2}}));
  EXPECT_EQ(chunks_of({}, 2), Chunks());
}

}  // namespace
}  // namespace weft
