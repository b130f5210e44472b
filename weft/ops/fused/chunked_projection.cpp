#include "weft/ops/fused/chunked_projection.h"

#include "weft/kernels/activation.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/kernels/gemm.h"
#include "weft/kernels/reduce.h"

namespace weft::ops {
namespace {

// The vocabulary is filled up with zeros to a multiple of this: rows of logits then begin at a
// cache line, without which the product takes up to twice the time.
constexpr int64_t kVocabularyStep = 32;

// A chunk of logits has kMaxRows rows, or fewer if it would have more than kMaxElements elements.
// Products of fewer than kMinRows rows are slow, and every chunk reads the weight again and adds to
// its gradient: with a vocabulary of 262,144, 128 rows take 18 % longer than 512, and 64 rows 45 %.
constexpr int64_t kMaxRows = 512;
constexpr int64_t kMinRows = 64;
constexpr int64_t kMaxElements = int64_t{1} << 25;

// x [rows, D] with rows of zeros behind it.
Tensor fill_rows(const Tensor& x, int64_t rows) {
  if (!x || x.rows() == rows) return x;
  Tensor out = Tensor::zeros({rows, x.cols()}, x.dtype());
  backend_of(x)(kernels::Copy{.x = x, .y = out.row_range(0, x.rows())});
  return out;
}

Tensor fill_cols(const Tensor& x, int64_t cols) {
  if (!x || x.cols() == cols) return x;
  Tensor out = Tensor::zeros({x.rows(), cols}, x.dtype());
  backend_of(x)(kernels::Copy{.x = x, .y = out.col_range(0, x.cols())});
  return out;
}

}  // namespace

int64_t chunk_rows(int64_t vocabulary) {
  const int64_t rows = kMaxElements / std::max<int64_t>(vocabulary, 1);
  return std::clamp(rows / kMinRows * kMinRows, kMinRows, kMaxRows);
}

Tensor project_composite(const Tensor& x, const OutputLayer& layer, Tape* tape) {
  return soft_cap(linear_composite(x, layer, Activation::kNone, tape), layer.soft_cap, tape);
}

ChunkedProjection::ChunkedProjection(std::string_view where, const Tensor& x, const OutputLayer& w)
    : shape_(w.weight.shape()),
      soft_cap_(w.soft_cap),
      weight_requires_grad_(w.weight.node != autograd::kConstant),
      bias_requires_grad_(w.bias && w.bias.node != autograd::kConstant) {
  check_shape(where, "weight", w.weight, -1, x.cols());
  if (w.bias) check_shape(where, "bias", w.bias, 1, w.weight.rows());
  const int64_t filled = (shape_.rows() + kVocabularyStep - 1) / kVocabularyStep * kVocabularyStep;
  weight_ = fill_rows(w.weight, filled);
  bias_ = fill_cols(w.bias, filled);
}

void ChunkedProjection::want_gradients(int64_t rows) {
  const DType sums = sum_type(weight_.dtype());
  if (weight_requires_grad_) {
    d_weight = rows > 0 ? Tensor::empty(shape_, sums) : Tensor::zeros(shape_, sums);
  }
  if (bias_requires_grad_) d_bias = Tensor::zeros({1, shape_.rows()}, sums);
}

Logits ChunkedProjection::logits(const Tensor& x) const {
  Logits out;
  out.filled = Tensor::empty({x.rows(), weight_.rows()}, x.dtype());
  out.chunk = out.filled.col_range(0, shape_.rows());
  kernels::Gemm product{.a = x, .b = weight_, .c = out.filled, .transpose_b = true};
  if (bias_) product.bias = bias_;
  const auto& backend = backend_of(x);
  backend(product);
  if (soft_cap_ == 0) return out;
  out.over_caps = Tensor::empty(out.filled.shape(), x.dtype());
  backend(kernels::Scale{.alpha = 1 / soft_cap_, .x = out.filled, .y = out.over_caps});
  backend(kernels::Activate{.kind = Activation::kTanh, .x = out.over_caps, .y = out.filled});
  backend(kernels::Scale{.alpha = soft_cap_, .x = out.filled, .y = out.filled});
  return out;
}

Logits ChunkedProjection::zeros_like(const Logits& logits) const {
  Logits out;
  out.over_caps = logits.over_caps;
  out.filled = Tensor::zeros(logits.filled.shape(), logits.filled.dtype());
  out.chunk = out.filled.col_range(0, shape_.rows());
  return out;
}

void accumulate(autograd::Backward& b, int i, const Tensor& gradient) {
  const double d_loss = b.d_output().item();
  b.accumulate(i, [&](const Tensor& to) {
    backend_of(to)(kernels::Accumulate{.alpha = d_loss, .x = gradient, .y = to});
  });
}

void move_gradient(autograd::Backward& b, int i, const Tensor& gradient) {
  b.d_output().item() == 1 ? b.add(i, gradient) : accumulate(b, i, gradient);
}

void ChunkedProjection::back(const Logits& d_logits, const Tensor& x, const Tensor& d_x) {
  const auto& backend = backend_of(x);
  if (d_logits.over_caps) {
    backend(kernels::ActivateBackward{.kind = Activation::kTanh,
                                      .x = d_logits.over_caps,
                                      .d_y = d_logits.filled,
                                      .d_x = d_logits.filled});
  }
  backend(kernels::Gemm{.a = d_logits.filled, .b = weight_, .c = d_x});
  if (d_weight) {
    backend(kernels::Gemm{.a = d_logits.chunk,
                          .b = x,
                          .c = d_weight,
                          .transpose_a = true,
                          .beta = is_fresh_ ? 0.0f : 1.0f});
    is_fresh_ = false;
  }
  if (d_bias) backend(kernels::ColumnSum{.x = d_logits.chunk, .y = d_bias});
}

void ChunkedProjection::record(autograd::Tape* tape, Tensor& loss, const Tensor& x,
                               const OutputLayer& w, const Tensor& d_x) const {
  autograd::record(tape, loss, {&x, &w.weight, &w.bias},
                   [d_x, d_weight = d_weight, d_bias = d_bias](autograd::Backward& b) {
                     accumulate(b, 2, d_bias);
                     accumulate(b, 1, d_weight);
                     move_gradient(b, 0, d_x);
                   });
}

}  // namespace weft::ops
