// Sentences in the order in which recurrent cells process them, as PyTorch's PackedSequence.
#ifndef WEFT_NN_RECURRENT_PACKED_SEQUENCE_H_
#define WEFT_NN_RECURRENT_PACKED_SEQUENCE_H_

#include "weft/ops/fused/cell.h"
#include "weft/ops/rows/select_rows.h"

namespace weft::nn {

enum class Direction { kForward, kBackward };

// Time-major, the longest sentence first: a step has a row for each sentence that still has a
// token, so that nothing is padded and a step's rows continue the first rows of the step before.
struct PackedSequence {
  ops::Steps steps;
  ops::Selection rows;       // of [N, D], from sentence by sentence to this order
  ops::Selection sentences;  // of [B, D], likewise
  ops::Selection last;       // of [N, D] in this order: each sentence's last step, [B, D] in theirs
  ops::RowsPtr numbered;     // sentence and position of each row in this order, for dropout

  PackedSequence() = default;
  // Each sentence from its start, or from its end. Throws ShapeError for a sentence without tokens.
  PackedSequence(const ops::Rows& packed, Direction direction);
};

}  // namespace weft::nn

#endif  // WEFT_NN_RECURRENT_PACKED_SEQUENCE_H_
