#include "weft/ops/losses/cross_entropy.h"

#include <numeric>

#include "weft/kernels/backend.h"
#include "weft/kernels/loss.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

void check_targets(const Ids& targets, int64_t rows, int64_t classes) {
  if (static_cast<int64_t>(targets->size()) != rows) {
    fail<ShapeError>("cross_entropy", "expected {} targets, got {}", rows, targets->size());
  }
  for (const int32_t id : *targets) {
    if (id < 0 || id >= classes) {
      fail<ShapeError>("cross_entropy", "target {} out of range; expected 0 to {}", id,
                       classes - 1);
    }
  }
}

const float* data_of(const RowWeights& weights, int64_t first) {
  return weights ? weights->data() + first : nullptr;
}

void check_row_weights(const RowWeights& weights, int64_t rows) {
  if (weights == nullptr || std::ssize(*weights) == rows) return;
  fail<ShapeError>("cross_entropy", "expected {} weights of rows, got {}", rows, weights->size());
}

double weighted_sum(const std::vector<double>& losses, const RowWeights& weights) {
  if (weights == nullptr) return std::accumulate(losses.begin(), losses.end(), 0.0);
  return std::inner_product(losses.begin(), losses.end(), weights->begin(), 0.0);
}

Loss cross_entropy(const Tensor& logits, const Ids& targets, const CrossEntropy& params,
                   Tape* tape) {
  check_targets(targets, logits.rows(), logits.cols());
  check_row_weights(params.row_weights, logits.rows());
  std::vector<double> loss(targets->size()), nll(targets->size());
  kernels::SoftmaxLoss call{.x = logits,
                            .targets = targets->data(),
                            .smoothing = params.smoothing,
                            .loss = loss.data(),
                            .nll = nll.data(),
                            .d_x = {},
                            .kind = params.kind};
  backend_of(logits)(call);
  Loss sum;
  sum.total = weighted_sum(loss, params.row_weights);
  sum.nll = weighted_sum(nll, nullptr);
  sum.value = Tensor::full({1, 1}, params.weight * sum.total, sum_type(logits.dtype()));
  record(tape, sum.value, {&logits}, [logits, targets, params](Backward& b) {
    std::vector<double> again(targets->size());
    b.write(0, [&](const Tensor& d_logits) {
      backend_of(logits)(kernels::SoftmaxLoss{.x = logits,
                                              .targets = targets->data(),
                                              .smoothing = params.smoothing,
                                              .weight = params.weight * b.d_output().item(),
                                              .loss = again.data(),
                                              .nll = again.data(),
                                              .d_x = d_logits,
                                              .kind = params.kind,
                                              .row_weights = data_of(params.row_weights)});
    });
  });
  return sum;
}

}  // namespace weft::ops
