#include "weft/nn/attention/prior.h"

#include <cmath>

#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"

namespace weft::nn {
namespace {

// The bias from which on a probability is 0 in effect.
constexpr double kFarthest = 32;

double diagonal(double widths) { return -widths * widths / 2; }
double monotonic(double widths) { return std::min(0.0, widths); }

}  // namespace

AttentionPrior::AttentionPrior(const PriorKinds& kinds, int64_t heads) {
  if (kinds.is<NoPriorOptions>()) return;
  const bool is_diagonal = kinds.is<DiagonalPriorOptions>();
  const PriorShape o = kinds.visit([](const auto& kind) {
    if constexpr (requires { kind.width; }) return PriorShape(kind);
    return PriorShape();
  });
  ratio_ = o.ratio;
  const double widths = is_diagonal ? std::sqrt(2 * kFarthest) : kFarthest;
  const auto most = static_cast<int64_t>(std::ceil(o.width * widths));
  table_ = Tensor::empty({2 * most + 1, heads});
  for (int64_t d = -most; d <= most; ++d) {
    const double in_widths = static_cast<double>(d) / o.width;
    backend_of(table_)(
        kernels::Fill{.y = table_.row_range(d + most, d + most + 1),
                      .value = is_diagonal ? diagonal(in_widths) : monotonic(in_widths)});
  }
}

AttentionPrior AttentionPrior::with_heads(int64_t heads) const {
  AttentionPrior out = *this;
  if (is_present()) out.table_ = table_.col_range(0, heads).clone();
  return out;
}

ops::PositionBias AttentionPrior::bias(DType dtype) const {
  if (!is_present()) return {};
  return {.table = dtype == table_.dtype() ? table_ : table_.to(dtype), .slopes = nullptr};
}

ops::LayoutPtr AttentionPrior::moved(const ops::Layout& rows) const {
  auto out = std::make_shared<ops::Layout>(rows);
  for (int32_t& i : out->position) i = static_cast<int32_t>(std::lround(ratio_ * i));
  return out;
}

}  // namespace weft::nn
