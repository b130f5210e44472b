// Where a target row is expected to look before anything is learned: a bias on the scores of
// attention to the source, the same in training and in decoding.
#ifndef WEFT_NN_ATTENTION_PRIOR_H_
#define WEFT_NN_ATTENTION_PRIOR_H_

#include <string>

#include "weft/ops/fused/attention.h"

namespace weft::nn {

struct AttentionPriorOptions {
  std::string kind = "none";
  double width = 3;  // w, in source rows
  double ratio = 1;  // r, source rows a target row
};

// Added to the score of target row i and source row j, d being j - round(r i):
//   diagonal: -d^2 / (2 w^2), the logarithm of a Gaussian;
//   monotonic: -max(0, -d) / w, so that what should have been read by now fades, and what is ahead
//   does not.
class AttentionPrior {
 public:
  AttentionPrior() = default;  // none
  // Throws OptionError for another kind.
  explicit AttentionPrior(const AttentionPriorOptions& options);

  bool is_present() const { return most_ > 0; }
  // For `heads` heads, the same for all, in the type of the queries.
  ops::PositionBias bias(int64_t heads, DType dtype) const;
  // The rows at round(r i).
  ops::RowsPtr moved(const ops::Rows& rows) const;

 private:
  double score(int64_t distance) const;

  AttentionPriorOptions options_;
  int64_t most_ = 0;  // distance from which the bias stays as it is
};

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_PRIOR_H_
