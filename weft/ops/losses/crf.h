// Linear-chain conditional random fields over the labels of a sequence (Lafferty et al. 2001;
// Lample et al. 2016, arXiv 1603.01360). The equations are in kernels/crf.h.
#ifndef WEFT_OPS_LOSSES_CRF_H_
#define WEFT_OPS_LOSSES_CRF_H_

#include "weft/autograd/tape.h"
#include "weft/data/labels/allowed_tags.h"
#include "weft/ops/layout.h"

namespace weft::ops {

using autograd::Tape;

// The scores of labels that follow each other, and of the first and the last one.
struct CrfWeights {
  const Tensor& transitions;  // [C, C], from, to
  const Tensor& start;        // [1, C]
  const Tensor& end;          // [1, C]
};

// Where a labelling that is not allowed has the probability 0; null: all are allowed.
using AllowedTagsPtr = std::shared_ptr<const data::AllowedTags>;

struct CrfTargets {
  LayoutPtr rows;
  Ids labels;  // [N]
};

struct CrfParams {
  AllowedTagsPtr allowed = {};
  double weight = 1;  // of each sequence; 1 / sequences makes the loss a mean
};

// The loss of a sequence whose labels are not allowed, which would be infinite, counts as 0 and has
// no gradient.
struct CrfLoss {
  Tensor value;                     // [1, 1] = weight * the sum of the losses below
  std::vector<double> losses;       // [B] -log p(labels), nats; 0 for an impossible sequence
  std::vector<int64_t> impossible;  // sequences whose labels are not allowed
};

// Of emissions [N, C], the scores of each row's labels. Throws ShapeError where emissions, weights,
// rows, labels and what is allowed do not fit together, and for a label that is none of C.
CrfLoss crf(const Tensor& emissions, const CrfWeights& weights, const CrfTargets& targets,
            const CrfParams& params, Tape* tape);

struct CrfPaths {
  std::vector<int32_t> labels;  // [N]
  std::vector<double> scores;   // [B] before normalisation; -infinity where nothing is allowed
};

// The most probable labels (Viterbi 1967); of equals the lowest, from the last row backwards.
// Throws ShapeError as crf() does.
CrfPaths crf_decode(const Tensor& emissions, const CrfWeights& weights, const LayoutPtr& rows,
                    const AllowedTagsPtr& allowed = {});

// What the labellings of each sequence are on average, in F64.
struct CrfExpectation {
  Tensor labels;       // [N, C] the probability of each label at each row
  Tensor transitions;  // [C, C] how often a label follows another, summed over sequences
  std::vector<double> log_partitions;  // [B] log Z; -infinity where nothing is allowed
};

// Throws ShapeError as crf() does.
CrfExpectation crf_expectation(const Tensor& emissions, const CrfWeights& weights,
                               const LayoutPtr& rows, const AllowedTagsPtr& allowed = {});

// The probability of each label at each row, given the whole sequence; [N, C], F32 or F64.
Tensor crf_marginals(const Tensor& emissions, const CrfWeights& weights, const LayoutPtr& rows,
                     const AllowedTagsPtr& allowed = {});

}  // namespace weft::ops

#endif  // WEFT_OPS_LOSSES_CRF_H_
