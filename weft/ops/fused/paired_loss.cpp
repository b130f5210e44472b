#include "weft/ops/fused/paired_loss.h"

#include <array>

#include "weft/kernels/backend.h"
#include "weft/kernels/loss.h"
#include "weft/ops/add.h"
#include "weft/ops/fused/chunked_projection.h"
#include "weft/ops/fused/enabled.h"
#include "weft/ops/losses/divergence.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

namespace {

struct PairedLosses {
  std::vector<double> truth, nll, divergence;  // [N], of one pass
};

CrossEntropy half(const CrossEntropy& truth) {
  CrossEntropy out = truth;
  out.weight /= 2;
  return out;
}

Loss total_of(const std::array<PairedLosses, 2>& passes, const PairParams& params, DType type) {
  Loss sum;
  for (const PairedLosses& pass : passes) {
    sum.total += weighted_sum(pass.truth, params.truth.row_weights) / 2 +
                 params.alpha / 4 * weighted_sum(pass.divergence, params.truth.row_weights);
    sum.nll += weighted_sum(pass.nll, nullptr) / 2;
  }
  sum.value = Tensor::full({1, 1}, params.truth.weight * sum.total, type);
  return sum;
}

// Logits of rows from `begin` on, and where their gradients go, if anywhere.
struct PairedChunk {
  int64_t begin;
  const int32_t* targets;
  std::array<Logits, 2> y, d;
};

void run_paired_chunk(const PairParams& params, const PairedChunk& c,
                      std::array<PairedLosses, 2>& out) {
  const auto& [begin, targets, y, d] = c;
  const auto& backend = backend_of(y[0].chunk);
  const float* weights = data_of(params.truth.row_weights, begin);
  const auto view = [](const Tensor& x) { return x ? x.view() : kernels::View{}; };
  for (size_t pass = 0; pass < 2; ++pass) {
    backend(kernels::SoftmaxLoss{.x = y[pass].chunk,
                                 .targets = targets + begin,
                                 .smoothing = params.truth.smoothing,
                                 .weight = params.truth.weight / 2,
                                 .loss = out[pass].truth.data() + begin,
                                 .nll = out[pass].nll.data() + begin,
                                 .d_x = view(d[pass].chunk),
                                 .kind = params.truth.kind,
                                 .row_weights = weights});
  }
  for (size_t pass = 0; pass < 2; ++pass) {
    backend(kernels::Divergence{.x = y[pass].chunk,
                                .z = y[1 - pass].chunk,
                                .weight = params.truth.weight * params.alpha / 4,
                                .row_weights = weights,
                                .loss = out[pass].divergence.data() + begin,
                                .d_x = view(d[pass].chunk),
                                .d_z = view(d[1 - pass].chunk)});
  }
}

}  // namespace

Loss paired_loss_composite(const Pair& states, const OutputLayer& w, const Ids& targets,
                           const PairParams& params, Tape* tape) {
  check_shape("paired_loss", "the second pass", states.second, states.first.rows(),
              states.first.cols());
  const Tensor y = project_composite(states.first, w, tape);
  const Tensor z = project_composite(states.second, w, tape);
  const Loss first = cross_entropy(y, targets, half(params.truth), tape);
  const Loss second = cross_entropy(z, targets, half(params.truth), tape);
  const DivergenceParams distance{.weight = params.truth.weight * params.alpha / 4,
                                  .row_weights = params.truth.row_weights};
  const Loss there = divergence(y, z, distance, tape), back = divergence(z, y, distance, tape);
  Loss sum;
  sum.total = (first.total + second.total) / 2 + params.alpha / 4 * (there.total + back.total);
  sum.nll = (first.nll + second.nll) / 2;
  sum.value = add(add(first.value, second.value, tape), add(there.value, back.value, tape), tape);
  return sum;
}

Loss paired_loss(const Pair& states, const OutputLayer& w, const Ids& targets,
                 const PairParams& params, Tape* tape) {
  if (!fused_enabled()) return paired_loss_composite(states, w, targets, params, tape);
  const std::array<Tensor, 2> x{states.first, states.second};
  ChunkedProjection projection("paired_loss", x[0], w);
  check_shape("paired_loss", "the second pass", x[1], x[0].rows(), x[0].cols());
  check_targets(targets, x[0].rows(), w.weight.rows());
  check_row_weights(params.truth.row_weights, x[0].rows());
  std::array<Tensor, 2> d_x;
  if (tape != nullptr) {
    for (size_t p = 0; p < 2; ++p) d_x[p] = Tensor::empty(x[p].shape(), x[p].dtype());
    projection.want_gradients(x[0].rows());
  }
  const std::vector<double> none(targets->size());
  std::array<PairedLosses, 2> losses{PairedLosses{none, none, none},
                                     PairedLosses{none, none, none}};
  projection.for_chunks(x[0].rows(), [&](int64_t begin, int64_t end) {
    PairedChunk chunk{.begin = begin, .targets = targets->data(), .y = {}, .d = {}};
    for (size_t p = 0; p < 2; ++p) {
      chunk.y[p] = projection.logits(x[p].row_range(begin, end));
      if (tape != nullptr) chunk.d[p] = projection.zeros_like(chunk.y[p]);
    }
    run_paired_chunk(params, chunk, losses);
    for (size_t p = 0; tape != nullptr && p < 2; ++p) {
      projection.back(chunk.d[p], x[p].row_range(begin, end), d_x[p].row_range(begin, end));
    }
  });
  Loss sum = total_of(losses, params, sum_type(x[0].dtype()));
  record(tape, sum.value, {&states.first, &states.second, &w.weight, &w.bias},
         [d_x, d_weight = projection.d_weight, d_bias = projection.d_bias](Backward& b) {
           accumulate(b, 3, d_bias);
           accumulate(b, 2, d_weight);
           move_gradient(b, 0, d_x[0]);
           move_gradient(b, 1, d_x[1]);
         });
  return sum;
}

}  // namespace weft::ops
