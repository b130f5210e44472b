#include "weft/nn/position/position.h"

#include "weft/ops/add.h"
#include "weft/ops/dropout.h"
#include "weft/ops/fused/embed.h"

namespace weft::nn {

Tensor SinusoidalPosition::embed(const TokenInput& in, Context& context) const {
  return ops::embed(in.table, in.ids,
                    {.scale = in.scale,
                     .sinusoidal = true,
                     .rows = in.rows,
                     .dropout = context.dropout(in.dropout, in.rows)},
                    context.tape);
}

Tensor LearnedPosition::embed(const TokenInput& in, Context& context) const {
  for (const int32_t position : in.rows->position) {
    if (position >= weight.value.rows()) {
      fail<ShapeError>("position", "a sentence has more than {} tokens, the learned maximum",
                       weight.value.rows());
    }
  }
  const Tensor tokens = ops::embedding(in.table, in.ids, in.scale, context.tape);  // [N, D]
  const Tensor places =
      ops::embedding(weight, ops::make_ids(in.rows->position), 1, context.tape);  // [N, D]
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
