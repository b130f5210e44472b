#include "weft/nn/position/position.h"

#include <bit>
#include <cmath>

#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/nn/table.h"
#include "weft/ops/add.h"
#include "weft/ops/dropout.h"
#include "weft/ops/fused/embed.h"
#include "weft/ops/packed_linear.h"
#include "weft/ops/slice.h"

namespace weft::nn {
namespace {

Tensor fused_embedding(const TokenInput& in, bool sinusoidal, const Context& context) {
  return ops::embed(in.table, in.ids,
                    {.scale = in.scale,
                     .sinusoidal = sinusoidal,
                     .rows = in.rows,
                     .dropout = context.dropout(in.dropout, in.rows)},
                    context.tape);
}

// With positions that are no part of the fused kernel.
template <class Kind>
Tensor sum_of_embeddings(const Kind& kind, const TokenInput& in, const Context& context) {
  const Tensor tokens = look_up(in.table, in.ids, in.scale, context.tape);  // [N, D]
  const Tensor places = kind.encodings(*in.rows, tokens.shape(), tokens.dtype(), context.tape);
  return ops::dropout(ops::add(tokens, places, context.tape), context.dropout(in.dropout, in.rows),
                      context.tape);
}

void check_grid(const ops::Layout& rows, int64_t axes) {
  if (std::ssize(rows.grid) == axes * rows.count()) return;
  fail<ShapeError>("position", "expected {} coordinates for each of {} rows, got {} in all", axes,
                   rows.count(), rows.grid.size());
}

// Slopes of a power of two of heads: 2^(-8 / heads), its square and so on.
std::vector<float> geometric_slopes(int64_t heads) {
  std::vector<float> slopes;
  for (int64_t i = 1; i <= heads; ++i) {
    const double exponent = -8.0 * static_cast<double>(i) / static_cast<double>(heads);
    slopes.push_back(static_cast<float>(std::exp2(exponent)));
  }
  return slopes;
}

}  // namespace

Tensor PlainEmbedding::embed(const TokenInput& in, const Context& context) const {
  if (in.table.packed) return ops::packed_embedding(in.table.packed, in.ids, in.scale);
  return fused_embedding(in, false, context);
}

Tensor IndexPosition::encodings(const ops::Layout& rows, Shape shape, DType type,
                                autograd::Tape*) const {
  Tensor out = Tensor::zeros(shape, type);
  for (int64_t n = 0; n < out.rows(); ++n) {
    const int64_t position = rows.position[n], feature = position % out.cols();
    backend_of(out)(kernels::Fill{.y = out.row_range(n, n + 1).col_range(feature, feature + 1),
                                  .value = scale * static_cast<double>(position)});
  }
  return out;
}

Tensor IndexPosition::embed(const TokenInput& in, const Context& context) const {
  return sum_of_embeddings(*this, in, context);
}

Tensor SinusoidalPosition::encodings(const ops::Layout& rows, Shape shape, DType type,
                                     autograd::Tape*) const {
  return ops::sinusoid(rows.position, shape.cols(), type);
}

Tensor SinusoidalPosition::embed(const TokenInput& in, const Context& context) const {
  if (in.table.packed) return ops::packed_embedding(in.table.packed, in.ids, in.scale, in.rows);
  return fused_embedding(in, true, context);
}

Tensor Sinusoidal2dPosition::encodings(const ops::Layout& rows, Shape shape, DType type,
                                       autograd::Tape* tape) const {
  check_grid(rows, 2);
  std::vector<int32_t> of_row, of_column;
  for (size_t i = 0; i < rows.grid.size(); i += 2) {
    of_row.push_back(rows.grid[i]);
    of_column.push_back(rows.grid[i + 1]);
  }
  const int64_t half = shape.cols() / 2;
  return ops::concat_cols(ops::sinusoid(of_row, half, type), ops::sinusoid(of_column, half, type),
                          tape);
}

Tensor Sinusoidal2dPosition::embed(const TokenInput& in, const Context& context) const {
  return sum_of_embeddings(*this, in, context);
}

Tensor LearnedPosition::encodings(const ops::Layout& rows, Shape, DType,
                                  autograd::Tape* tape) const {
  check_positions("position", rows, weight.shape.rows());
  return look_up(weight, ops::make_ids(rows.position), 1, tape);
}

Tensor LearnedPosition::embed(const TokenInput& in, const Context& context) const {
  return sum_of_embeddings(*this, in, context);
}

AttentionPosition RotaryPosition::in_attention(const ops::LayoutPtr& rows, const Context&) const {
  if (axes > 1) check_grid(*rows, axes);
  const std::vector<int32_t>& positions = axes > 1 ? rows->grid : rows->position;
  AttentionPosition out;
  out.rotary = ops::RotaryParams{ops::rotary_angles(positions, axes, *frequencies)};
  if (local_frequencies == nullptr) return out;
  out.local_rotary = ops::RotaryParams{ops::rotary_angles(positions, axes, *local_frequencies)};
  return out;
}

RotaryPosition RotaryPositionOptions::with_axes(int64_t axes, const PositionDims& dims) const {
  const int64_t pairs = dims.pairs(axes);
  RotaryPosition out(axes, scaling.visit([&](const auto& kind) {
    return kind.frequencies({.base = base, .pairs = pairs});
  }));
  if (local_base == 0) return out;
  out.local_frequencies = std::make_shared<const ops::RotaryFrequencies>(
      LinearRotaryScaling{local_factor}.frequencies({.base = local_base, .pairs = pairs}));
  return out;
}

int32_t relative_bucket(int64_t distance, int64_t buckets, int64_t max_distance, bool causal) {
  int64_t first = 0, away = -distance;
  if (causal) {
    away = std::max<int64_t>(away, 0);
  } else {
    buckets /= 2;
    if (distance > 0) first = buckets;
    away = std::abs(distance);
  }
  const int64_t exact = buckets / 2;
  if (away < exact) return static_cast<int32_t>(first + away);
  // As in T5, in floats: a bucket's border depends on it.
  const float share = std::log(static_cast<float>(away) / static_cast<float>(exact)) /
                      std::log(static_cast<float>(max_distance) / static_cast<float>(exact));
  const auto step = static_cast<int64_t>(share * static_cast<float>(buckets - exact));
  return static_cast<int32_t>(first + std::min(exact + step, buckets - 1));
}

AttentionPosition RelativePosition::in_attention(const ops::LayoutPtr&,
                                                 const Context& context) const {
  std::vector<int32_t> buckets;
  for (int64_t distance = -max_distance; distance <= max_distance; ++distance) {
    buckets.push_back(relative_bucket(distance, weight.shape.rows(), max_distance, causal));
  }
  const Tensor table = look_up(weight, ops::make_ids(std::move(buckets)), 1, context.tape);
  return {.rotary = {}, .bias = {.table = table, .slopes = nullptr}};
}

AlibiPosition::AlibiPosition(int64_t heads) {
  const auto whole = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(heads)));
  std::vector<float> out = geometric_slopes(whole);
  // The remaining slopes are every other one of twice as many heads.
  const std::vector<float> between = geometric_slopes(2 * whole);
  for (int64_t i = 0; std::ssize(out) < heads; i += 2) out.push_back(between[i]);
  slopes = std::make_shared<const std::vector<float>>(std::move(out));
}

AttentionPosition AlibiPosition::in_attention(const ops::LayoutPtr&, const Context&) const {
  return {.rotary = {}, .bias = {.table = {}, .slopes = slopes}};
}

void RotaryPositionOptions::check() const {
  scaling.visit([&](const auto& kind) {
    if constexpr (requires { kind.check(base); }) kind.check(base);
  });
  if (local_base != 0 && local_base < 1) {
    fail<OptionError>("--rotary-local-base", "expected 0, or at least 1, got {}", local_base);
  }
  if (local_base == 0 && local_factor != 1) {
    fail<OptionError>("--rotary-local-factor", "needs --rotary-local-base; expected 1, got {}",
                      local_factor);
  }
}

RelativePosition RelativePositionOptions::make(const PositionDims& dims) const {
  RelativePosition out;
  out.weight = embedding_table(buckets, dims.heads, Init::kZeros);
  out.max_distance = max_distance;
  out.causal = dims.causal;
  return out;
}

void RelativePositionOptions::check() const {
  if (max_distance > buckets / 2) return;
  fail<OptionError>("--relative-max-distance",
                    "expected more than half of --relative-buckets {}, got {}", buckets,
                    max_distance);
}

PositionPlace PositionOptions::place() const {
  return kind.visit([](const auto& k) { return k.kPlace; });
}

bool PositionOptions::needs_grid() const {
  return kind.visit([](const auto& k) {
    return requires { k.kNeedsGrid; };
  });
}

bool PositionOptions::has_local_rotation() const {
  return kind.visit([](const auto& k) {
    if constexpr (requires { k.local_base; }) return k.local_base != 0;
    return false;
  });
}

void PositionOptions::check() const {
  kind.visit([](const auto& k) {
    if constexpr (requires { k.check(); }) k.check();
  });
}

Tensor Position::embed(const TokenInput& in, const Context& context) const {
  return std::visit([&](const auto& k) { return k.embed(in, context); }, kind);
}

AttentionPosition Position::in_attention(const ops::LayoutPtr& rows, const Context& context) const {
  return std::visit([&](const auto& k) { return k.in_attention(rows, context); }, kind);
}

Tensor Position::add_to(const Tensor& x, const ops::LayoutPtr& rows, const Dropout& dropout,
                        const Context& context) const {
  Tensor sum = x;
  std::visit(
      [&](const auto& k) {
        if constexpr (requires { k.encodings(*rows, x.shape(), x.dtype(), context.tape); }) {
          sum = ops::add(x, k.encodings(*rows, x.shape(), x.dtype(), context.tape), context.tape);
        }
      },
      kind);
  return ops::dropout(sum, context.dropout(dropout, rows), context.tape);
}

Position make_position(const PositionKinds& kinds, const PositionDims& dims) {
  return kinds.visit([&](const auto& kind) -> Position { return {kind.make(dims)}; });
}

}  // namespace weft::nn
