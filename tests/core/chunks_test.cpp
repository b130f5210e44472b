#include "weft/core/chunks.h"

#include <gmock/gmock.h>

#include <vector>

namespace weft {
namespace {

std::vector<std::vector<int>> chunks_of(std::vector<int> items, int64_t most) {
  std::vector<std::vector<int>> out;
  for (const std::span<int> chunk : chunks(std::span(items), most)) {
    out.emplace_back(chunk.begin(), chunk.end());
  }
  return out;
}

TEST(Chunks, CoverAllItemsInOrder) {
  using Chunks = std::vector<std::vector<int>>;
  EXPECT_EQ(chunks_of({1, 2, 3, 4, 5}, 2), (Chunks{{1, 2}, {3, 4}, {5}}));
  EXPECT_EQ(chunks_of({1, 2, 3, 4}, 2), (Chunks{{1, 2}, {3, 4}}));
  EXPECT_EQ(chunks_of({1, 2}, 9), (Chunks{{1, 2}}));
  EXPECT_EQ(chunks_of({}, 2), Chunks());
}

}  // namespace
}  // namespace weft
