// Sequences in the order in which recurrent cells process them, as PyTorch's PackedSequence.
#ifndef WEFT_NN_RECURRENT_PACKED_SEQUENCE_H_
#define WEFT_NN_RECURRENT_PACKED_SEQUENCE_H_

#include "weft/ops/fused/cell.h"
#include "weft/ops/rows/select_rows.h"

namespace weft::nn {

enum class Direction { kForward, kBackward };

// Time-major, the longest sequence first: a step has a row for each sequence that still has a
// token, so that nothing is padded and a step's rows continue the first rows of the step before.
struct PackedSequence {
  ops::Steps steps;
  ops::Selection rows;       // of [N, D], from sequence by sequence to this order
  ops::Selection sequences;  // of [B, D], likewise
  ops::Selection last;       // of [N, D] in this order: each sequence's last step, [B, D] in theirs
  ops::LayoutPtr numbered;   // sequence and position of each row in this order, for dropout

  PackedSequence() = default;
  // Each sequence from its start, or from its end. Throws ShapeError for a sequence without tokens.
  PackedSequence(const ops::Layout& packed, Direction direction);
};

}  // namespace weft::nn

#endif  // WEFT_NN_RECURRENT_PACKED_SEQUENCE_H_
