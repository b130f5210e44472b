// The loss of rows that have any number of labels: a decision for each label.
#ifndef WEFT_OPS_LOSSES_BINARY_CROSS_ENTROPY_H_
#define WEFT_OPS_LOSSES_BINARY_CROSS_ENTROPY_H_

#include "weft/autograd/tape.h"
#include "weft/ops/losses/cross_entropy.h"
#include "weft/ops/losses/labels.h"

namespace weft::ops {

using autograd::Tape;

struct BinaryCrossEntropy {
  double weight = 1;            // of each row; 1 / (rows * labels) makes the loss a mean
  RowWeights positive_weights;  // [C] of what a row's own labels add, or null: 1 each
  RowWeights row_weights;       // [N], beside `weight`, or null: 1 each
};

struct BinaryLoss {
  Tensor value;                // [1, 1] = weight * the sum of row_weights * losses
  std::vector<double> losses;  // [N] nats, summed over labels
};

// Of logits [N, C]; the labels of a row are those that it has, each once:
//   loss[n] = sum_c -w_c y log p - (1 - y) log(1 - p),  p = sigmoid(logit),
// y = 1 for these and 0 for others. Throws ShapeError for labels of another number of rows, one
// that is none of C or occurs twice in a row, and weights of another number.
BinaryLoss binary_cross_entropy(const Tensor& logits, const LabelsPtr& labels,
                                const BinaryCrossEntropy& params, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_LOSSES_BINARY_CROSS_ENTROPY_H_
