// The most probable tokens of each row of logits.
#ifndef WEFT_DECODE_TOP_K_H_
#define WEFT_DECODE_TOP_K_H_

#include "weft/decode/next_tokens.h"

namespace weft::decode {

class TopK : public NextTokens {
 public:
  using NextTokens::NextTokens;

  // Finds the k best tokens of every row of logits [W, C] (F32), once adjusted, which happens in
  // place: the best first, the lower id first of equals, fewer than k where a row has fewer that
  // are not forbidden. Throws as begin() does.
  void find(const Tensor& logits, int64_t k, const Adjust& adjust = {}, Columns columns = {});
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_TOP_K_H_
