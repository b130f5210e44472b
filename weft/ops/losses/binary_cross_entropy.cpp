#include "weft/ops/losses/binary_cross_entropy.h"

#include <algorithm>

#include "weft/kernels/backend.h"
#include "weft/kernels/binary_cross_entropy.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

namespace {

void check(const Tensor& logits, const data::Labels& labels, const BinaryCrossEntropy& params) {
  const char* const where = "binary_cross_entropy";
  const int64_t rows = logits.rows(), count = logits.cols();
  check_labels(where, labels, rows);
  for (int64_t n = 0; n < rows; ++n) {
    std::vector<int32_t> own(labels[n].begin(), labels[n].end());
    std::ranges::sort(own);
    if (!own.empty() && (own.front() < 0 || own.back() >= count)) {
      fail<ShapeError>(where, "label {}; expected 0 to {}",
                       own.front() < 0 ? own.front() : own.back(), count - 1);
    }
    const auto twice = std::ranges::adjacent_find(own);
    if (twice != own.end()) fail<ShapeError>(where, "label {} occurs twice in row {}", *twice, n);
  }
  check_row_weights(params.row_weights, rows);
  check_row_weights(params.positive_weights, count);
}

kernels::BinaryCrossEntropy call_of(const Tensor& logits, const data::Labels& labels,
                                    const BinaryCrossEntropy& params, double* losses) {
  return {.x = logits,
          .labels = labels.ids,
          .offsets = labels.segments.offsets,
          .positive_weights = data_of(params.positive_weights),
          .row_weights = data_of(params.row_weights),
          .weight = params.weight,
          .loss = losses};
}

}  // namespace

BinaryLoss binary_cross_entropy(const Tensor& logits, const LabelsPtr& labels,
                                const BinaryCrossEntropy& params, Tape* tape) {
  check(logits, *labels, params);
  BinaryLoss out;
  out.losses.resize(static_cast<size_t>(logits.rows()));
  backend_of(logits)(call_of(logits, *labels, params, out.losses.data()));
  out.value = Tensor::full({1, 1}, params.weight * weighted_sum(out.losses, params.row_weights),
                           sum_type(logits.dtype()));
  record(tape, out.value, {&logits}, [logits, labels, params](Backward& b) {
    std::vector<double> again(static_cast<size_t>(logits.rows()));
    b.write(0, [&](const Tensor& d_logits) {
      kernels::BinaryCrossEntropy call = call_of(logits, *labels, params, again.data());
      call.weight *= b.d_output().item();
      call.d_x = d_logits;
      backend_of(logits)(call);
    });
  });
  return out;
}

}  // namespace weft::ops
