// How many tokens of a text a model reads.
#ifndef WEFT_PREDICT_TOKEN_LIMIT_H_
#define WEFT_PREDICT_TOKEN_LIMIT_H_

#include <algorithm>
#include <cstdint>

namespace weft::predict {

// The lesser of `wanted` (0: any), without special symbols, and of the rows that learned tables
// have for a text with its special symbols (their number).
inline int64_t token_limit(int64_t wanted, int64_t capacity, int64_t special_symbols) {
  const int64_t most = std::max<int64_t>(1, capacity - special_symbols);
  return wanted == 0 ? most : std::min(wanted, most);
}

}  // namespace weft::predict

#endif  // WEFT_PREDICT_TOKEN_LIMIT_H_
