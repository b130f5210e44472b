#include "weft/ops/fused/residual_norm.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/dropout.h"
#include "weft/kernels/elementwise.h"
#include "weft/kernels/norm.h"
#include "weft/ops/add.h"
#include "weft/ops/dropout.h"
#include "weft/ops/fused/enabled.h"
#include "weft/ops/norm_backward.h"
#include "weft/ops/scale.h"

namespace weft::ops {

using autograd::Backward;

namespace {

struct Saved {
  DropoutParams drop;
  double scale;
  Tensor sum, gamma, beta, stats;
  double epsilon;

  bool is_rms() const { return !beta; }
};

// Gradients of x (input 0) and of the residual (3) from that of their sum.
void give(Backward& b, const Saved& s, const Tensor& d_sum) {
  const auto& backend = backend_of(d_sum);
  if (s.drop) {
    b.write(0, [&](const Tensor& d_x) {
      backend(kernels::Dropout{.mask = s.drop.mask, .x = d_sum, .y = d_x});
    });
  } else {
    b.add(0, d_sum);
  }
  if (s.scale != 1) {
    b.write(3, [&](const Tensor& d_residual) {
      backend(kernels::Scale{.alpha = s.scale, .x = d_sum, .y = d_residual});
    });
  } else {
    b.add(3, d_sum);
  }
}

void run_back(Backward& b, const Saved& s) {
  const Tensor d_norm = b.d_output(1), d_through = b.d_output(0);
  if (!d_norm) return give(b, s, d_through);
  const NormSaved norm{s.sum, s.gamma, s.stats, d_norm};
  const Tensor d_sum = s.is_rms() ? rms_norm_backward(b, norm) : norm_backward(b, norm);
  if (d_through) backend_of(d_sum)(kernels::Accumulate{.alpha = 1, .x = d_through, .y = d_sum});
  give(b, s, d_sum);
}

// The norm is cheap to recompute from the sum, which backward needs in any case.
class RunBack : public autograd::Recomputable {
 public:
  static constexpr size_t kRecomputed = 1;

  explicit RunBack(Saved saved) : saved_(std::move(saved)) {}
  void operator()(Backward& b) const { run_back(b, saved_); }

 private:
  Tensor recompute() const override {
    const Saved& s = saved_;
    Tensor norm = Tensor::empty(s.sum.shape(), s.sum.dtype());  // [N, D]
    const auto& backend = backend_of(norm);
    if (s.is_rms()) {
      backend(kernels::RmsNorm{
          .x = s.sum, .gamma = s.gamma, .epsilon = s.epsilon, .y = norm, .stats = s.stats});
    } else {
      backend(kernels::LayerNorm{.x = s.sum,
                                 .gamma = s.gamma,
                                 .beta = s.beta,
                                 .epsilon = s.epsilon,
                                 .y = norm,
                                 .stats = s.stats});
    }
    return norm;
  }

  Saved saved_;
};

// An rms norm where beta is empty.
ResidualNorm fused(const Tensor& x, const Tensor& residual, const ResidualParams& params,
                   const NormWeights& w, Tape* tape) {
  const bool is_rms = !w.beta;
  Tensor sum = Tensor::empty(x.shape(), x.dtype());   // [N, D]
  Tensor norm = Tensor::empty(x.shape(), x.dtype());  // [N, D]
  Tensor stats = Tensor::empty({x.rows(), is_rms ? 1 : 2}, sum_type(x.dtype()));
  backend_of(x)(kernels::ResidualNorm{.dropout = params.dropout.mask,
                                      .x = x,
                                      .residual = residual,
                                      .gamma = w.gamma,
                                      .beta = is_rms ? kernels::View() : w.beta.view(),
                                      .epsilon = w.epsilon,
                                      .h = sum,
                                      .y = norm,
                                      .stats = stats,
                                      .residual_scale = params.scale});
  if (tape == nullptr) return {sum, norm};
  tape->record({&sum, &norm}, {&x, &w.gamma, &w.beta, &residual},
               RunBack({params.dropout, params.scale, sum, w.gamma, w.beta, stats, w.epsilon}));
  return {sum, norm};
}

void check(const Tensor& x, const Tensor& residual, const ResidualParams& params,
           const Tensor& gamma) {
  check_shape("residual_norm", "residual", residual, x.rows(), x.cols());
  check_shape("residual_norm", "gamma", gamma, 1, x.cols());
  check_dropout(params.dropout, x);
}

}  // namespace

Tensor residual_sum(const Tensor& x, const Tensor& residual, const ResidualParams& params,
                    Tape* tape) {
  const Tensor scaled = params.scale == 1 ? residual : scale(residual, params.scale, tape);
  return add(scaled, dropout(x, params.dropout, tape), tape);
}

ResidualNorm residual_norm_composite(const Tensor& x, const Tensor& residual,
                                     const ResidualParams& params, const NormWeights& w,
                                     Tape* tape) {
  const Tensor sum = residual_sum(x, residual, params, tape);
  return {sum, layer_norm(sum, w, tape)};
}

ResidualNorm residual_rms_norm_composite(const Tensor& x, const Tensor& residual,
                                         const ResidualParams& params, const RmsWeights& w,
                                         Tape* tape) {
  const Tensor sum = residual_sum(x, residual, params, tape);
  return {sum, rms_norm(sum, w, tape)};
}

ResidualNorm residual_norm(const Tensor& x, const Tensor& residual, const ResidualParams& params,
                           const NormWeights& w, Tape* tape) {
  check(x, residual, params, w.gamma);
  check_shape("residual_norm", "beta", w.beta, 1, x.cols());
  return fused_enabled() ? fused(x, residual, params, w, tape)
                         : residual_norm_composite(x, residual, params, w, tape);
}

ResidualNorm residual_rms_norm(const Tensor& x, const Tensor& residual,
                               const ResidualParams& params, const RmsWeights& w, Tape* tape) {
  check(x, residual, params, w.gamma);
  const Tensor no_beta;
  return fused_enabled() ? fused(x, residual, params, {w.gamma, no_beta, w.epsilon}, tape)
                         : residual_rms_norm_composite(x, residual, params, w, tape);
}

}  // namespace weft::ops
