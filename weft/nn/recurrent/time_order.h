// Packed sentences in the order in which recurrent cells take them.
#ifndef WEFT_NN_RECURRENT_TIME_ORDER_H_
#define WEFT_NN_RECURRENT_TIME_ORDER_H_

#include "weft/ops/fused/cell.h"
#include "weft/ops/select_rows.h"

namespace weft::nn {

enum class Direction { kForward, kBackward };

// The longest sentence first, step by step: at each step stand the sentences that still have a
// token, so that nothing is padded and a step's rows go on from the first rows of the step before.
struct TimeOrder {
  ops::Steps steps;
  ops::Selection rows;       // of [N, D], from packed to this order
  ops::Selection sentences;  // of [B, D], from packed to this order
  ops::Selection last;       // of [N, D] in this order, each sentence's last step as packed [B, D]
  ops::RowsPtr places;       // sentence and position of each row in this order, for dropout

  TimeOrder() = default;
  // Read forwards, or each sentence from its end. Throws ShapeError for a sentence without tokens.
  TimeOrder(const ops::Rows& packed, Direction direction);
};

}  // namespace weft::nn

#endif  // WEFT_NN_RECURRENT_TIME_ORDER_H_
