#include "weft/nn/table.h"

#include "weft/ops/embedding.h"
#include "weft/ops/packed_linear.h"

namespace weft::nn {

Tensor look_up(const Parameter& table, const ops::Ids& ids, double scale, autograd::Tape* tape) {
  return table.packed ? ops::packed_embedding(table.packed, ids, scale)
                      : ops::embedding(table, ids, scale, tape);
}

}  // namespace weft::nn
