#include "weft/ops/fused/projection_loss.h"

#include <algorithm>
#include <numeric>

#include "weft/ops/fused/enabled.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

namespace {

// Logits of a chunk: few enough to stay in cache, enough rows for the products.
constexpr int64_t kChunkRows = 512;

// Gradients with respect to x, weight and bias, of a loss whose own gradient is 1.
struct Saved {
  Tensor d_x, d_weight, d_bias;
};

// What every chunk of one call shares.
struct Call {
  const Tensor& x;
  const LinearWeights& weights;
  const int32_t* targets;
  const CrossEntropy& how;
  TokenLosses& losses;
};

// The losses of rows from `begin` on; their gradients too unless `d` is null.
void run_chunk(const Call& call, const Tensor& logits, int64_t begin, Saved* d) {
  const auto& backend = backend_of(call.x);
  const int64_t rows = logits.rows();
  const Tensor x = call.x.row_range(begin, begin + rows);  // [n, D]
  kernels::Gemm product{.a = x, .b = call.weights.weight, .c = logits, .transpose_b = true};
  if (call.weights.bias) product.bias = call.weights.bias;
  backend.gemm(product);
  backend.cross_entropy({logits, call.targets + begin, call.how.smoothing, call.how.weight,
                         call.losses.smoothed.data() + begin, call.losses.nll.data() + begin,
                         d != nullptr ? logits.view() : kernels::View{}});
  if (d == nullptr) return;
  backend.gemm({.a = logits, .b = call.weights.weight, .c = d->d_x.row_range(begin, begin + rows)});
  backend.gemm({.a = logits,
                .b = x,
                .c = d->d_weight,
                .transpose_a = true,
                .beta = begin == 0 ? 0.0f : 1.0f});
  if (d->d_bias) backend.column_sum(logits, d->d_bias);
}

TokenLosses run(const Tensor& x, const LinearWeights& w, const Ids& targets,
                const CrossEntropy& how, Saved* d) {
  check_shape("projection_loss", "weight", w.weight, -1, x.cols());
  if (w.bias) check_shape("projection_loss", "bias", w.bias, 1, w.weight.rows());
  check_targets(targets, x.rows(), w.weight.rows());
  TokenLosses losses{std::vector<double>(targets->size()), std::vector<double>(targets->size())};
  const Call call{x, w, targets->data(), how, losses};
  for (int64_t begin = 0; begin < x.rows(); begin += kChunkRows) {
    const int64_t rows = std::min(kChunkRows, x.rows() - begin);
    run_chunk(call, Tensor::empty({rows, w.weight.rows()}, x.dtype()), begin, d);  // [n, V]
  }
  return losses;
}

}  // namespace

Loss projection_loss_composite(const Tensor& x, const LinearWeights& w, const Ids& targets,
                               const CrossEntropy& how, Tape* tape) {
  return cross_entropy(linear_composite(x, w, Activation::kNone, tape), targets, how, tape);
}

TokenLosses projection_losses(const Tensor& x, const LinearWeights& w, const Ids& targets,
                              double smoothing) {
  return run(x, w, targets, {.smoothing = smoothing}, nullptr);
}

Loss projection_loss(const Tensor& x, const LinearWeights& w, const Ids& targets,
                     const CrossEntropy& how, Tape* tape) {
  if (!fused_enabled()) return projection_loss_composite(x, w, targets, how, tape);
  const DType sums = sum_type(x.dtype());
  Saved saved;
  if (tape != nullptr) {
    saved.d_x = Tensor::empty(x.shape(), x.dtype());
    saved.d_weight = x.rows() > 0 ? Tensor::empty(w.weight.shape(), sums)
                                  : Tensor::zeros(w.weight.shape(), sums);
    if (w.bias) saved.d_bias = Tensor::zeros(w.bias.shape(), sums);
  }
  const TokenLosses losses = run(x, w, targets, how, tape != nullptr ? &saved : nullptr);
  Loss total;
  total.smoothed = std::accumulate(losses.smoothed.begin(), losses.smoothed.end(), 0.0);
  total.nll = std::accumulate(losses.nll.begin(), losses.nll.end(), 0.0);
  total.value = Tensor::full({1, 1}, how.weight * total.smoothed, sums);
  record(tape, total.value, {&x, &w.weight, &w.bias}, [saved](Backward& b) {
    const double d_loss = b.d_output().item();
    const auto give = [&](int i, const Tensor& gradient) {
      b.accumulate(i, [&](const Tensor& to) { backend_of(to).accumulate(d_loss, gradient, to); });
    };
    give(2, saved.d_bias);
    give(1, saved.d_weight);
    if (d_loss == 1) {
      b.add(0, saved.d_x);
    } else {
      give(0, saved.d_x);
    }
  });
  return total;
}

}  // namespace weft::ops
