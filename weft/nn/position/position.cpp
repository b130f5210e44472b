#include "weft/nn/position/position.h"

#include "weft/ops/add.h"
#include "weft/ops/dropout.h"
#include "weft/ops/fused/embed.h"
#include "weft/ops/packed_linear.h"

namespace weft::nn {
namespace {

// scale * table[ids]
Tensor look_up(const Parameter& table, const ops::Ids& ids, double scale, autograd::Tape* tape) {
  return table.packed ? ops::packed_embedding(table.packed, ids, scale)
                      : ops::embedding(table, ids, scale, tape);
}

}  // namespace

Tensor SinusoidalPosition::embed(const TokenInput& in, Context& context) const {
  if (in.table.packed) return ops::packed_embedding(in.table.packed, in.ids, in.scale, in.rows);
  return ops::embed(in.table, in.ids,
                    {.scale = in.scale,
                     .sinusoidal = true,
                     .rows = in.rows,
                     .dropout = context.dropout(in.dropout, in.rows)},
                    context.tape);
}

Tensor LearnedPosition::embed(const TokenInput& in, Context& context) const {
  for (const int32_t position : in.rows->position) {
    if (position >= weight.shape.rows()) {
      fail<ShapeError>("position", "a sentence has more than {} tokens, the learned maximum",
                       weight.shape.rows());
    }
  }
  const Tensor tokens = look_up(in.table, in.ids, in.scale, context.tape);  // [N, D]
  const Tensor places =
      look_up(weight, ops::make_ids(in.rows->position), 1, context.tape);  // [N, D]
  return ops::dropout(ops::add(tokens, places, context.tape), context.dropout(in.dropout, in.rows),
                      context.tape);
}

Position make_position(std::string_view name, int64_t max_positions, int64_t features) {
  if (name == "sinusoidal") return {SinusoidalPosition{}};
  if (name == "learned") {
    return {LearnedPosition{Parameter({max_positions, features}, Init::kNormal)}};
  }
  fail<OptionError>("position", "expected sinusoidal or learned, got '{}'", name);
}

}  // namespace weft::nn
