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
  // For `heads` heads, the same for all. Throws OptionError for another kind.
  AttentionPrior(const AttentionPriorOptions& options, int64_t heads);

  bool is_present() const { return static_cast<bool>(table_); }
  // For queries of this type; nothing where there is no prior.
  ops::PositionBias bias(DType dtype) const;
  // The rows at round(r i).
  ops::RowsPtr moved(const ops::Rows& rows) const;

 private:
  Tensor table_;  // [2R + 1, H], F32; from the distance R on the bias stays as it is
  double ratio_ = 1;
};

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_PRIOR_H_
