// How many tokens of a text a model reads.
#ifndef WEFT_PREDICT_TOKEN_LIMIT_H_
#define WEFT_PREDICT_TOKEN_LIMIT_H_

#include <algorithm>
#include <cstdint>

namespace weft::predict {

// The smaller of `wanted` (0: no limit), which excludes special symbols, and the number of tokens
// that learned tables of `capacity` rows hold besides `special_symbols` special symbols.
inline int64_t token_limit(int64_t wanted, int64_t capacity, int64_t special_symbols) {
  const int64_t most = std::max<int64_t>(1, capacity - special_symbols);
  return wanted == 0 ? most : std::min(wanted, most);
}

}  // namespace weft::predict

#endif  // WEFT_PREDICT_TOKEN_LIMIT_H_
