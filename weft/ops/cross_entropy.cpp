#include "weft/ops/cross_entropy.h"

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

Loss cross_entropy(const Tensor& logits, const Ids& targets, const CrossEntropy& how, Tape* tape) {
  check_targets(targets, logits.rows(), logits.cols());
  std::vector<double> loss(targets->size()), nll(targets->size());
  backend_of(logits).cross_entropy(
      {logits, targets->data(), how.smoothing, how.weight, loss.data(), nll.data(), {}});
  Loss total;
  for (size_t n = 0; n < loss.size(); ++n) {
    total.smoothed += loss[n];
    total.nll += nll[n];
  }
  total.value = Tensor::full({1, 1}, how.weight * total.smoothed, sum_type(logits.dtype()));
  record(tape, total.value, {&logits}, [logits, targets, how](Backward& b) {
    std::vector<double> again(targets->size());
    const double weight = how.weight * b.d_output().item();
    b.write(0, [&](const Tensor& d_logits) {
      backend_of(logits).cross_entropy(
          {logits, targets->data(), how.smoothing, weight, again.data(), again.data(), d_logits});
    });
  });
  return total;
}

}  // namespace weft::ops
