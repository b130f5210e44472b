#include "weft/nn/attention/prior.h"

#include <cmath>

#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"

namespace weft::nn {
namespace {

// A key whose score is lowered by so much has no weight that could be told from 0.
constexpr double kFarthest = 32;

double diagonal(double widths) { return -widths * widths / 2; }
double monotonic(double widths) { return std::min(0.0, widths); }

}  // namespace

AttentionPrior::AttentionPrior(const AttentionPriorOptions& o, int64_t heads) : ratio_(o.ratio) {
  if (o.kind == "none") return;
  const bool is_diagonal = o.kind == "diagonal";
  if (!is_diagonal && o.kind != "monotonic") {
    fail<OptionError>("attention-prior", "expected none, diagonal or monotonic, got '{}'", o.kind);
  }
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

ops::PositionBias AttentionPrior::bias(DType dtype) const {
  if (!is_present()) return {};
  return {.table = dtype == table_.dtype() ? table_ : table_.to(dtype), .slopes = nullptr};
}

ops::RowsPtr AttentionPrior::moved(const ops::Rows& rows) const {
  auto out = std::make_shared<ops::Rows>(rows);
  for (int32_t& i : out->position) i = static_cast<int32_t>(std::lround(ratio_ * i));
  return out;
}

}  // namespace weft::nn
