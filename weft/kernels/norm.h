// Layer, rms and batch normalisation, and the sublayer connection.
#ifndef WEFT_KERNELS_NORM_H_
#define WEFT_KERNELS_NORM_H_

#include "weft/kernels/cost.h"
#include "weft/kernels/dropout.h"

namespace weft::kernels {

// Layer norm (Ba et al. 2016): y = (x - mean) / sqrt(variance + epsilon) * gamma + beta over each
// row; x [N, D], gamma and beta [1, D]. stats [N, 2], where not empty, receives mean and
// 1 / sqrt(variance + epsilon).
struct LayerNorm {
  View x, gamma, beta;
  double epsilon = 1e-5;
  View y, stats = {};
  static constexpr std::string_view kName = "layer_norm";
  Cost cost() const { return {0, bytes_of({x, y})}; }
};

// d_x is overwritten, d_gamma and d_beta are added to.
struct LayerNormBackward {
  View x, gamma, stats, d_y;
  View d_x, d_gamma, d_beta;
  static constexpr std::string_view kName = "d_layer_norm";
  Cost cost() const { return {0, bytes_of({x, d_y, d_x})}; }
};

// y = x / sqrt(mean(x^2) + epsilon) * gamma over each row (Zhang and Sennrich 2019); stats [N, 1],
// where not empty, receives the reciprocal.
struct RmsNorm {
  View x, gamma;
  double epsilon = 1e-5;
  View y, stats = {};
  static constexpr std::string_view kName = "rms_norm";
  Cost cost() const { return {0, bytes_of({x, y})}; }
};

// d_x is overwritten, d_gamma is added to.
struct RmsNormBackward {
  View x, gamma, stats, d_y;
  View d_x, d_gamma;
  static constexpr std::string_view kName = "d_rms_norm";
  Cost cost() const { return {0, bytes_of({x, d_y, d_x})}; }
};

// The sublayer connection in one pass: h = residual_scale * residual + dropout(x), and y is the
// layer norm of h, or, where beta is empty, its rms norm. h may be x.
struct ResidualNorm {
  DropoutMask dropout = {};
  View x, residual, gamma, beta = {};
  double epsilon = 1e-5;
  View h = {}, y = {}, stats = {};
  double residual_scale = 1;
  static constexpr std::string_view kName = "residual_norm";
  Cost cost() const { return {0, bytes_of({x, residual, h, y})}; }
};

// stats [2, D]: mean and variance, without correction, of each column of x.
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

// Where `is_fixed`, mean and variance were given from elsewhere; else they are those of x, and
// gradients flow through them. d_x is overwritten, d_gamma and d_beta are added to.
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
