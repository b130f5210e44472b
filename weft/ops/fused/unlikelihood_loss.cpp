#include "weft/ops/fused/unlikelihood_loss.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/loss.h"
#include "weft/kernels/unlikelihood.h"
#include "weft/ops/add.h"
#include "weft/ops/fused/chunked_projection.h"
#include "weft/ops/fused/enabled.h"

namespace weft::ops {
namespace {

struct UnlikelihoodLosses {
  std::vector<double> truth, nll, unlikely;  // [N]
};

// Logits of rows from `begin` on, and where their gradient goes, if anywhere.
struct UnlikelihoodChunk {
  int64_t begin;
  const TargetsAndCandidates& classes;
  Logits y, d_y;
};

void run_chunk(const Unlikelihood& params, const UnlikelihoodChunk& c, UnlikelihoodLosses& out) {
  const int64_t begin = c.begin;
  const float* weights = data_of(params.truth.row_weights, begin);
  const auto& backend = backend_of(c.y.chunk);
  const data::Labels& candidates = *c.classes.candidates;
  const kernels::View d = c.d_y.chunk ? c.d_y.chunk.view() : kernels::View{};
  backend(kernels::SoftmaxLoss{.x = c.y.chunk,
                               .targets = c.classes.targets->data() + begin,
                               .smoothing = params.truth.smoothing,
                               .weight = params.truth.weight,
                               .loss = out.truth.data() + begin,
                               .nll = out.nll.data() + begin,
                               .d_x = d,
                               .kind = params.truth.kind,
                               .row_weights = weights});
  backend(kernels::Unlikelihood{
      .x = c.y.chunk,
      .candidates = candidates.ids.data(),
      .offsets = std::span(candidates.segments.offsets).subspan(static_cast<size_t>(begin)),
      .weight = params.truth.weight * params.alpha,
      .row_weights = weights,
      .loss = out.unlikely.data() + begin,
      .d_x = d});
}

}  // namespace

Loss unlikelihood_loss_composite(const Tensor& x, const OutputLayer& w,
                                 const TargetsAndCandidates& classes, const Unlikelihood& params,
                                 Tape* tape) {
  const Tensor y = project_composite(x, w, tape);
  const Loss truth = cross_entropy(y, classes.targets, params.truth, tape);
  const Loss unlikely = unlikelihood(
      y, classes.candidates,
      {.weight = params.truth.weight * params.alpha, .row_weights = params.truth.row_weights},
      tape);
  Loss sum;
  sum.total = truth.total + params.alpha * unlikely.total;
  sum.nll = truth.nll;
  sum.value = add(truth.value, unlikely.value, tape);
  return sum;
}

Loss unlikelihood_loss(const Tensor& x, const OutputLayer& w, const TargetsAndCandidates& classes,
                       const Unlikelihood& params, Tape* tape) {
  if (!fused_enabled()) return unlikelihood_loss_composite(x, w, classes, params, tape);
  ChunkedProjection projection("unlikelihood_loss", x, w);
  check_targets(classes.targets, x.rows(), w.weight.rows());
  check_candidates(*classes.candidates, x.rows(), w.weight.rows());
  check_row_weights(params.truth.row_weights, x.rows());
  Tensor d_x;
  if (tape != nullptr) {
    d_x = Tensor::empty(x.shape(), x.dtype());
    projection.want_gradients(x.rows());
  }
  const std::vector<double> none(static_cast<size_t>(x.rows()));
  UnlikelihoodLosses losses{none, none, none};
  projection.for_chunks(x.rows(), [&](int64_t begin, int64_t end) {
    const Tensor rows = x.row_range(begin, end);
    UnlikelihoodChunk chunk{
        .begin = begin, .classes = classes, .y = projection.logits(rows), .d_y = {}};
    if (d_x) chunk.d_y = projection.zeros_like(chunk.y);
    run_chunk(params, chunk, losses);
    if (d_x) projection.back(chunk.d_y, rows, d_x.row_range(begin, end));
  });
  Loss sum;
  sum.total = weighted_sum(losses.truth, params.truth.row_weights) +
              params.alpha * weighted_sum(losses.unlikely, params.truth.row_weights);
  sum.nll = weighted_sum(losses.nll, nullptr);
  sum.value = Tensor::full({1, 1}, params.truth.weight * sum.total, sum_type(x.dtype()));
  projection.record(tape, sum.value, x, w, d_x);
  return sum;
}

}  // namespace weft::ops
