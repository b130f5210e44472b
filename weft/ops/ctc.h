// Connectionist temporal classification (Graves et al. 2006): the loss of labels that are shorter
// than the rows that spell them, over all their alignments.
#ifndef WEFT_OPS_CTC_H_
#define WEFT_OPS_CTC_H_

#include "weft/autograd/tape.h"
#include "weft/ops/rows.h"

namespace weft::ops {

using autograd::Tape;

struct CtcRule {
  int32_t blank = 0;  // the class that spells nothing
  double weight = 1;  // of each sentence
  // A sentence of T rows cannot spell more labels than T less the repeats among neighbours. Its
  // loss is then infinite. True: it counts as 0, has no gradient and is reported; false: an error.
  bool zero_infinity = true;
};

struct CtcLoss {
  Tensor value;                // [1, 1] = weight * the sum of the losses below
  std::vector<double> losses;  // [B] -log p(labels), nats; 0 for an impossible sentence
  int64_t impossible = 0;      // sentences too short for their labels
};

// The labels of B sentences: sentence b is ids[offsets[b]] to ids[offsets[b + 1]].
struct Labels {
  Ids ids;
  std::vector<int32_t> offsets;  // [B + 1]
};

// Of logits [N, V], whose rows are B sentences. Throws ShapeError for another number of sentences,
// a label that is the blank or no class, and, unless zero_infinity, an impossible sentence.
CtcLoss ctc(const Tensor& logits, const RowsPtr& rows, const Labels& labels, const CtcRule& how,
            Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_CTC_H_
