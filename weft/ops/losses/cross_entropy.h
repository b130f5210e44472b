// Losses against label-smoothed targets (Szegedy et al. 2016, arXiv 1512.00567): cross-entropy by
// default.
#ifndef WEFT_OPS_LOSSES_CROSS_ENTROPY_H_
#define WEFT_OPS_LOSSES_CROSS_ENTROPY_H_

#include "weft/autograd/tape.h"
#include "weft/kernels/loss.h"
#include "weft/ops/layout.h"

namespace weft::ops {

using autograd::Tape;
using kernels::LossKind;

// A loss and the sums over rows that it was made of, in nats.
struct Loss {
  Tensor value;          // [1, 1], what is differentiated
  double total = 0;      // what training minimises, each row times its own weight
  double nll = 0;        // -log p(target), whose mean's exp is perplexity; 0 without probabilities
  int64_t left_out = 0;  // tokens of sequences that have no loss
};

// A weight for each row; null: 1 each.
using RowWeights = std::shared_ptr<const std::vector<float>>;

struct CrossEntropy {
  double smoothing = 0;  // 0 to 1: mass spread evenly over the vocabulary
  double weight = 1;     // of each row; 1 / tokens makes the loss a mean
  LossKind kind = LossKind::kCrossEntropy;
  RowWeights row_weights = {};  // [N], beside `weight`
};

// loss [1, 1] = weight * sum over rows of row_weights * distance(softmax(logits), t), where
// t = (1 - smoothing) onehot(target) + smoothing / V, and the distance is what `kind` says:
//   -sum t log p;  sum t (log t - log p);  |p - t|;  |p - t|^2.
// logits [N, V].
Loss cross_entropy(const Tensor& logits, const Ids& targets, const CrossEntropy& params,
                   Tape* tape);

// Throws ShapeError unless there are `rows` targets, each in 0..classes-1.
void check_targets(const Ids& targets, int64_t rows, int64_t classes);
// Throws ShapeError unless there is a weight for each of `rows`, or none.
void check_row_weights(const RowWeights& weights, int64_t rows);

// The weights of the rows from `first`; null where there are none.
const float* data_of(const RowWeights& weights, int64_t first = 0);

// The sum of losses, each times its row's weight.
double weighted_sum(const std::vector<double>& losses, const RowWeights& weights);

}  // namespace weft::ops

#endif  // WEFT_OPS_LOSSES_CROSS_ENTROPY_H_
