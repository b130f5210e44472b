#include "weft/nn/convolutional_stem.h"

#include <algorithm>

#include "weft/ops/activation.h"
#include "weft/ops/windows.h"

namespace weft::nn {
namespace {

constexpr int64_t kWidth = 3, kStride = 2;
constexpr double kEpsilon = 1e-5;

}  // namespace

ConvolutionalStem::ConvolutionalStem(int64_t channels, int64_t features, int64_t halvings) {
  for (int64_t l = 0; l < halvings; ++l) {
    const int64_t out = std::max<int64_t>(features >> (halvings - 1 - l), 1);
    layers.push_back({Linear(kWidth * kWidth * channels, out, false), LayerNorm(out, kEpsilon)});
    channels = out;
  }
  projection = Linear(channels, features, true);
}

ConvolutionalStem::Output ConvolutionalStem::operator()(Tensor x, ops::RowsPtr rows,
                                                        const Context& context) const {
  for (const Layer& layer : layers) {
    const Tensor windows = ops::grid_windows(x, rows, kWidth, kStride, context.tape);
    rows = ops::strided_grid_rows(rows, kStride);
    x = layer.norm(layer.convolution(windows, context.tape), context);  // [M, C]
    x = ops::activate(ops::Activation::kGelu, x, context.tape);
  }
  return {projection(x, context.tape), std::move(rows)};
}

}  // namespace weft::nn
