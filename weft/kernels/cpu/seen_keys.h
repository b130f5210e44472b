// Which keys a block of queries may see under a rule.
#ifndef WEFT_KERNELS_CPU_SEEN_KEYS_H_
#define WEFT_KERNELS_CPU_SEEN_KEYS_H_

#include <cstdint>
#include <vector>

#include "weft/kernels/attention.h"

namespace weft::kernels::cpu {

// The two sides of one sentence; a position is given or the index in the sentence.
struct SentenceSides {
  SentenceSides(const Attention& a, int64_t sentence)
      : q_begin(a.q_offsets[sentence]),
        queries(a.q_offsets[sentence + 1] - q_begin),
        k_begin(a.k_offsets[sentence]),
        keys(a.k_offsets[sentence + 1] - k_begin),
        q_position(a.q_position),
        k_position(a.k_position) {}

  int32_t query_position(int64_t i) const {
    return q_position ? q_position[q_begin + i] : static_cast<int32_t>(i);
  }
  int32_t key_position(int64_t j) const {
    return k_position ? k_position[k_begin + j] : static_cast<int32_t>(j);
  }

  int64_t q_begin, queries, k_begin, keys;
  const int32_t *q_position, *k_position;
};

struct KeyRange {
  int64_t begin, count;  // in the sentence
};

// The keys that queries `begin` to `end` of a sentence may see, in order: ranges inside tiles of
// `tile` keys. What is left out is seen by none of them.
std::vector<KeyRange> seen_tiles(const Attention& a, const SentenceSides& side, int64_t begin,
                                 int64_t end, int64_t tile);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_SEEN_KEYS_H_
