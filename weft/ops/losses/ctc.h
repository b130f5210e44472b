// Connectionist temporal classification (Graves et al. 2006): the loss of labels that are shorter
// than the rows that spell them, over all their alignments.
#ifndef WEFT_OPS_LOSSES_CTC_H_
#define WEFT_OPS_LOSSES_CTC_H_

#include "weft/autograd/tape.h"
#include "weft/ops/layout.h"
#include "weft/ops/losses/labels.h"

namespace weft::ops {

using autograd::Tape;

struct CtcParams {
  int32_t blank = 0;  // the class that spells nothing
  double weight = 1;  // of each sequence
};

// A sequence of T rows cannot spell more labels than T less the repeats among neighbours: its loss,
// which would be infinite, counts as 0 and has no gradient.
struct CtcLoss {
  Tensor value;                     // [1, 1] = weight * the sum of the losses below
  std::vector<double> losses;       // [B] -log p(labels), nats; 0 for an impossible sequence
  std::vector<int64_t> impossible;  // the sequences that are too short for their labels
};

// The fewest rows that can spell these labels: one each, and a blank between equal neighbours.
int64_t ctc_rows(std::span<const int32_t> labels);

// Of logits [N, V], whose rows are B sequences. Throws ShapeError for another number of sequences
// and a label that is the blank or no class.
CtcLoss ctc(const Tensor& logits, const LayoutPtr& rows, const LabelsPtr& labels,
            const CtcParams& params, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_LOSSES_CTC_H_
