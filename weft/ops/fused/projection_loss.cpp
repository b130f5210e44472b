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
// The vocabulary is filled up with zeros to a multiple of this: rows of logits then begin at a
// cache line, without which the product takes up to twice the time.
constexpr int64_t kVocabularyStep = 32;

// Gradients with respect to x, weight and bias, of a loss whose own gradient is 1.
struct Saved {
  Tensor d_x, d_weight, d_bias;
};

// What every chunk of one call shares.
struct Call {
  const Tensor& x;
  const int32_t* targets;
  const CrossEntropy& how;
  LinearWeights filled;  // weight [V', D] and bias [1, V'], V' >= V
  int64_t vocabulary;    // V
  TokenLosses losses;
};

// x [rows, D] with rows of zeros behind it.
Tensor fill_rows(const Tensor& x, int64_t rows) {
  if (!x || x.rows() == rows) return x;
  Tensor out = Tensor::zeros({rows, x.cols()}, x.dtype());
  backend_of(x).copy(x, out.row_range(0, x.rows()));
  return out;
}

Tensor fill_cols(const Tensor& x, int64_t cols) {
  if (!x || x.cols() == cols) return x;
  Tensor out = Tensor::zeros({x.rows(), cols}, x.dtype());
  backend_of(x).copy(x, out.col_range(0, x.cols()));
  return out;
}

// The losses of rows from `begin` on; their gradients too unless `d` is null.
void run_chunk(Call& call, int64_t begin, int64_t end, const Saved* d) {
  const auto& backend = backend_of(call.x);
  const Tensor x = call.x.row_range(begin, end);  // [n, D]
  const Tensor filled_logits =
      Tensor::empty({end - begin, call.filled.weight.rows()}, call.x.dtype());
  const Tensor logits = filled_logits.col_range(0, call.vocabulary);
  kernels::Gemm product{.a = x, .b = call.filled.weight, .c = filled_logits, .transpose_b = true};
  if (call.filled.bias) product.bias = call.filled.bias;
  backend.gemm(product);
  backend.cross_entropy({logits, call.targets + begin, call.how.smoothing, call.how.weight,
                         call.losses.smoothed.data() + begin, call.losses.nll.data() + begin,
                         d != nullptr ? logits.view() : kernels::View{}});
  if (d == nullptr) return;
  backend.gemm({.a = filled_logits, .b = call.filled.weight, .c = d->d_x.row_range(begin, end)});
  backend.gemm({.a = logits,
                .b = x,
                .c = d->d_weight,
                .transpose_a = true,
                .beta = begin == 0 ? 0.0f : 1.0f});
  if (d->d_bias) backend.column_sum(logits, d->d_bias);
}

TokenLosses run(const Tensor& x, const LinearWeights& w, const Ids& targets,
                const CrossEntropy& how, const Saved* d) {
  check_shape("projection_loss", "weight", w.weight, -1, x.cols());
  if (w.bias) check_shape("projection_loss", "bias", w.bias, 1, w.weight.rows());
  check_targets(targets, x.rows(), w.weight.rows());
  const int64_t vocabulary = w.weight.rows();
  const int64_t filled = (vocabulary + kVocabularyStep - 1) / kVocabularyStep * kVocabularyStep;
  Call call{.x = x,
            .targets = targets->data(),
            .how = how,
            .filled = {fill_rows(w.weight, filled), fill_cols(w.bias, filled)},
            .vocabulary = vocabulary,
            .losses = {std::vector<double>(targets->size()), std::vector<double>(targets->size())}};
  for (int64_t begin = 0; begin < x.rows(); begin += kChunkRows) {
    run_chunk(call, begin, std::min(begin + kChunkRows, x.rows()), d);
  }
  return std::move(call.losses);
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
