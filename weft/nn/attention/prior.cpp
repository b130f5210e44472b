#include "weft/nn/attention/prior.h"

#include <cmath>

namespace weft::nn {
namespace {

// A key whose score is lowered by so much has no weight that could be told from 0.
constexpr double kFarthest = 32;

}  // namespace

AttentionPrior::AttentionPrior(const AttentionPriorOptions& options) : options_(options) {
  if (options.kind == "none") return;
  if (options.kind == "diagonal") {
    most_ = static_cast<int64_t>(std::ceil(options.width * std::sqrt(2 * kFarthest)));
  } else if (options.kind == "monotonic") {
    most_ = static_cast<int64_t>(std::ceil(options.width * kFarthest));
  } else {
    fail<OptionError>("attention-prior", "expected none, diagonal or monotonic, got '{}'",
                      options.kind);
  }
}

double AttentionPrior::score(int64_t distance) const {
  const double in_widths = static_cast<double>(distance) / options_.width;
  return options_.kind == "diagonal" ? -in_widths * in_widths / 2 : std::min(0.0, in_widths);
}

ops::PositionBias AttentionPrior::bias(int64_t heads, DType dtype) const {
  ops::PositionBias out;
  if (!is_present()) return out;
  out.table = Tensor::empty({2 * most_ + 1, heads}, dtype);
  for (int64_t d = -most_; d <= most_; ++d) {
    backend_of(out.table).fill(out.table.row_range(d + most_, d + most_ + 1), score(d));
  }
  return out;
}

ops::RowsPtr AttentionPrior::moved(const ops::Rows& rows) const {
  auto out = std::make_shared<ops::Rows>(rows);
  for (int32_t& i : out->position) i = static_cast<int32_t>(std::lround(options_.ratio * i));
  return out;
}

}  // namespace weft::nn
