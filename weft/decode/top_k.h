// The most probable tokens of each row of logits.
#ifndef WEFT_DECODE_TOP_K_H_
#define WEFT_DECODE_TOP_K_H_

#include <span>
#include <vector>

#include "weft/tensor/tensor.h"

namespace weft::decode {

struct ScoredToken {
  double log_probability;
  int32_t token;
};

// Keeps its memory from step to step.
class TopK {
 public:
  // Finds the k best tokens of every row of logits [W, V] (F32) that are not `forbidden`; log p is
  // that of the softmax over the whole row. The logits of forbidden tokens are overwritten. Throws
  // NumericError when a row is not finite.
  void find(const Tensor& logits, int64_t k, std::span<const int32_t> forbidden);

  // Those of row w, the best first, the lower id first of equals; fewer than k where a row has
  // fewer tokens.
  std::span<const ScoredToken> row(int64_t w) const {
    return std::span(found_).subspan(w * k_, counts_[w]);
  }

 private:
  int64_t k_ = 0;
  std::vector<ScoredToken> found_;  // [W, k]
  std::vector<int32_t> counts_;     // [W]
  std::vector<int32_t> best_;       // [W]
  std::vector<float> top_;          // [W] the largest logit
  std::vector<double> losses_, log_sums_;
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_TOP_K_H_
