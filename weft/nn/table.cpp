#include "weft/nn/table.h"

#include "weft/ops/embedding.h"
#include "weft/ops/packed_linear.h"

namespace weft::nn {

Tensor look_up(const Parameter& table, const ops::Ids& ids, double scale, autograd::Tape* tape) {
  return table.packed ? ops::packed_embedding(table.packed, ids, scale)
                      : ops::embedding(table, ids, scale, tape);
}

Parameter rows_of(const Parameter& table, std::span<const int32_t> rows) {
  Parameter out({static_cast<int64_t>(rows.size()), table.shape.cols()}, table.init);
  if (table.packed) {
    out.packed = table.packed.rows(rows);
  } else {
    out.value = ops::embedding(table, ops::make_ids({rows.begin(), rows.end()}), 1, nullptr);
  }
  return out;
}

void check_positions(std::string_view where, const ops::Layout& rows, int64_t most) {
  for (const int32_t position : rows.position) {
    if (position < most) continue;
    fail<ShapeError>(where, "a sequence has more than {} tokens, the limit of --max-positions",
                     most);
  }
}

}  // namespace weft::nn
