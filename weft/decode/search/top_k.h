// The most probable tokens of a row of logits.
#ifndef WEFT_DECODE_SEARCH_TOP_K_H_
#define WEFT_DECODE_SEARCH_TOP_K_H_

#include <cstdint>
#include <span>

namespace weft::decode {

struct ScoredColumn {
  float logit;
  int32_t column;
};

// Writes the out.size() largest logits of a row to `out`, fewer where fewer are above -inf, and
// returns how many those are. The largest comes first, of equals the lower column.
int64_t top_k(std::span<const float> logits, std::span<ScoredColumn> out);

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_TOP_K_H_
