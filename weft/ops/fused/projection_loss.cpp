#include "weft/ops/fused/projection_loss.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/loss.h"
#include "weft/ops/fused/chunked_projection.h"
#include "weft/ops/fused/enabled.h"

namespace weft::ops {
namespace {

// The losses of every row. Where there is a d_x, gradients too, in d_x and in the projection, as
// for a loss whose own gradient is 1.
TokenLosses run(ChunkedProjection& projection, const Tensor& x, const Ids& targets,
                const CrossEntropy& params, const Tensor& d_x) {
  TokenLosses out{std::vector<double>(targets->size()), std::vector<double>(targets->size())};
  projection.for_chunks(x.rows(), [&](int64_t begin, int64_t end) {
    const Tensor rows = x.row_range(begin, end);    // [n, D]
    const Logits logits = projection.logits(rows);  // [n, V]
    backend_of(x)(kernels::SoftmaxLoss{.x = logits.chunk,
                                       .targets = targets->data() + begin,
                                       .smoothing = params.smoothing,
                                       .weight = params.weight,
                                       .loss = out.total.data() + begin,
                                       .nll = out.nll.data() + begin,
                                       .d_x = d_x ? logits.chunk.view() : kernels::View{},
                                       .kind = params.kind,
                                       .row_weights = data_of(params.row_weights, begin)});
    if (d_x) projection.back(logits, rows, d_x.row_range(begin, end));
  });
  return out;
}

}  // namespace

Loss projection_loss_composite(const Tensor& x, const OutputLayer& w, const Ids& targets,
                               const CrossEntropy& params, Tape* tape) {
  return cross_entropy(project_composite(x, w, tape), targets, params, tape);
}

TokenLosses projection_losses(const Tensor& x, const OutputLayer& w, const Ids& targets,
                              double smoothing) {
  ChunkedProjection projection("projection_loss", x, w);
  check_targets(targets, x.rows(), w.weight.rows());
  return run(projection, x, targets, {.smoothing = smoothing}, {});
}

Loss projection_loss(const Tensor& x, const OutputLayer& w, const Ids& targets,
                     const CrossEntropy& params, Tape* tape) {
  if (!fused_enabled()) return projection_loss_composite(x, w, targets, params, tape);
  ChunkedProjection projection("projection_loss", x, w);
  check_targets(targets, x.rows(), w.weight.rows());
  check_row_weights(params.row_weights, x.rows());
  Tensor d_x;
  if (tape != nullptr) {
    d_x = Tensor::empty(x.shape(), x.dtype());
    projection.want_gradients(x.rows());
  }
  const TokenLosses losses = run(projection, x, targets, params, d_x);
  Loss sum;
  sum.total = weighted_sum(losses.total, params.row_weights);
  sum.nll = weighted_sum(losses.nll, nullptr);
  sum.value = Tensor::full({1, 1}, params.weight * sum.total, sum_type(x.dtype()));
  projection.record(tape, sum.value, x, w, d_x);
  return sum;
}

}  // namespace weft::ops
