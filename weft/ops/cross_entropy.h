// Label-smoothed cross-entropy (Szegedy et al. 2016, arXiv 1512.00567).
#ifndef WEFT_OPS_CROSS_ENTROPY_H_
#define WEFT_OPS_CROSS_ENTROPY_H_

#include "weft/autograd/tape.h"
#include "weft/ops/rows.h"

namespace weft::ops {

using autograd::Tape;

// A loss and the unweighted sums over rows that it was made of, in nats.
struct Loss {
  Tensor value;         // [1, 1], what is differentiated
  double smoothed = 0;  // what training minimises
  double nll = 0;       // -log p(target): perplexity is exp of its mean
};

struct CrossEntropy {
  double smoothing = 0;  // 0 to 1: mass spread evenly over the vocabulary
  double weight = 1;     // of each row; 1 / tokens makes the loss a mean
};

// loss [1, 1] = weight * sum over rows of -sum_v t_v log softmax(logits)_v, with
// t = (1 - smoothing) onehot(target) + smoothing / V. logits [N, V].
Loss cross_entropy(const Tensor& logits, const Ids& targets, const CrossEntropy& how, Tape* tape);

// Throws ShapeError unless there are `rows` targets, each in 0..classes-1.
void check_targets(const Ids& targets, int64_t rows, int64_t classes);

}  // namespace weft::ops

#endif  // WEFT_OPS_CROSS_ENTROPY_H_
