// Layer, RMS and batch normalisation, and the residual connection.
#ifndef WEFT_KERNELS_NORM_H_
#define WEFT_KERNELS_NORM_H_

#include "weft/kernels/cost.h"
#include "weft/kernels/dropout.h"

namespace weft::kernels {

// Layer norm (Ba et al. 2016): y = (x - mean) / sqrt(variance + epsilon) * gamma + beta over each
// row; x [N, D], gamma and beta [1, D]. stats [N, 2], unless empty, receives mean and 1 /
// sqrt(variance + epsilon).
struct LayerNorm {
  View x, gamma, beta;
  double epsilon = 1e-5;
  View y, stats = {};
  static constexpr std::string_view kName = "layer_norm";
  Cost cost() const { return {0, bytes_of({x, y})}; }
};

// d_x is overwritten, d_gamma and d_beta are accumulated into.
struct LayerNormBackward {
  View x, gamma, stats, d_y;
  View d_x, d_gamma, d_beta;
  static constexpr std::string_view kName = "d_layer_norm";
  Cost cost() const { return {0, bytes_of({x, d_y, d_x})}; }
};

// y = x / sqrt(mean(x^2) + epsilon) * gamma over each row (Zhang and Sennrich 2019); stats [N, 1],
// unless empty, receives the reciprocal root.
struct RmsNorm {
  View x, gamma;
  double epsilon = 1e-5;
  View y, stats = {};
  static constexpr std::string_view kName = "rms_norm";
  Cost cost() const { return {0, bytes_of({x, y})}; }
};

// d_x is overwritten, d_gamma is accumulated into.
struct RmsNormBackward {
  View x, gamma, stats, d_y;
  View d_x, d_gamma;
  static constexpr std::string_view kName = "d_rms_norm";
  Cost cost() const { return {0, bytes_of({x, d_y, d_x})}; }
};

// The residual connection fused with the next norm: h = residual_scale * residual + dropout(x); y
// is the layer norm of h, or, if beta is empty, its RMS norm. h may be x.
struct ResidualNorm {
  DropoutMask dropout = {};
  View x, residual, gamma, beta = {};
  double epsilon = 1e-5;
  View h = {}, y = {}, stats = {};
  double residual_scale = 1;
  static constexpr std::string_view kName = "residual_norm";
  Cost cost() const { return {0, bytes_of({x, residual, h, y})}; }
};

// stats [2, D]: the mean and the biased variance of each column of x.
struct ColumnMoments {
  View x, stats;
  static constexpr std::string_view kName = "column_moments";
  Cost cost() const { return {0, bytes_of({x, x})}; }
};

// y = (x - mean) / sqrt(variance + epsilon) * gamma + beta over each column, with the mean and
// variance of stats [2, D] (Ioffe and Szegedy 2015).
struct BatchNorm {
  View x, gamma, beta;
  double epsilon = 1e-5;
  View y, stats = {};
  static constexpr std::string_view kName = "batch_norm";
  Cost cost() const { return {0, bytes_of({x, y})}; }
};

// With `is_fixed`, stats are constants (running statistics); otherwise they are those of x, and
// gradients flow through them. d_x is overwritten, d_gamma and d_beta are accumulated into.
struct BatchNormBackward {
  View x, gamma, stats, d_y;
  double epsilon = 1e-5;
  bool is_fixed = false;
  View d_x, d_gamma, d_beta;
  static constexpr std::string_view kName = "d_batch_norm";
  Cost cost() const { return {0, bytes_of({x, d_y, x, d_y, d_x})}; }
};

namespace ref {
void run(const LayerNorm&), run(const LayerNormBackward&), run(const RmsNorm&),
    run(const RmsNormBackward&), run(const ResidualNorm&), run(const ColumnMoments&),
    run(const BatchNorm&), run(const BatchNormBackward&);
}
namespace cpu {
void run(const LayerNorm&), run(const LayerNormBackward&), run(const RmsNorm&),
    run(const RmsNormBackward&), run(const ResidualNorm&), run(const ColumnMoments&),
    run(const BatchNorm&), run(const BatchNormBackward&);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_NORM_H_
