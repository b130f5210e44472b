#include "weft/kernels/cpu/attention_items.h"

#include <algorithm>

namespace weft::kernels::cpu {

std::vector<AttentionItem> attention_items(std::span<const int32_t> offsets, int64_t heads,
                                           int64_t block) {
  std::vector<AttentionItem> items;
  for (size_t b = 0; b + 1 < offsets.size(); ++b) {
    const int64_t rows = offsets[b + 1] - offsets[b];
    for (int64_t h = 0; h < heads; ++h) {
      for (int64_t at = 0; at < rows; at += block) {
        items.push_back({static_cast<int64_t>(b), h, at});
      }
    }
  }
  return items;
}

int64_t blocks_of_item(const Attention& a, int64_t block) {
  constexpr int64_t kItemsOfThread = 4;
  const int64_t blocks = a.q.rows * a.heads / (block * kItemsOfThread * threads());
  return std::clamp<int64_t>(blocks, 1, kItemBlocks);
}

int64_t attention_work(const Attention& a) {
  int64_t pairs = 0;
  for (size_t b = 0; b + 1 < a.q_offsets.size(); ++b) {
    pairs += int64_t{a.q_offsets[b + 1] - a.q_offsets[b]} * (a.k_offsets[b + 1] - a.k_offsets[b]);
  }
  return pairs * a.q.cols;
}

}  // namespace weft::kernels::cpu
