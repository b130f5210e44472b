#include "weft/nn/convolution_stem.h"

#include <bit>

#include "weft/core/error.h"
#include "weft/ops/activation.h"
#include "weft/ops/rows/windows.h"

namespace weft::nn {
namespace {

constexpr int64_t kWindow = 3, kStride = 2;
constexpr double kStemEpsilon = 1e-5;

}  // namespace

void ConvolutionStem::check(int64_t patch, int64_t features) {
  if (patch < 2 * kSquare || !std::has_single_bit(static_cast<uint64_t>(patch))) {
    fail<OptionError>("--patch-size",
                      "expected 4, 8, 16, ... with --patch-embedding convolutions, got {}", patch);
  }
  if (features % (patch / kSquare) != 0) {
    fail<OptionError>("--dim-emb",
                      "expected a multiple of {}, half of --patch-size, with --patch-embedding "
                      "convolutions, got {}",
                      patch / kSquare, features);
  }
}

ConvolutionStem::ConvolutionStem(int64_t channels, int64_t patch, int64_t features) {
  int64_t width = features * kSquare / patch, inputs = kSquare * kSquare * channels;
  for (int64_t side = kSquare; side <= patch; side *= kStride) {
    layers.emplace_back(inputs, width, true);
    norms.emplace_back(width, kStemEpsilon);
    inputs = kWindow * kWindow * width;
    width *= 2;
  }
  projection = Linear(features, features, true);
}

Tensor ConvolutionStem::operator()(Tensor x, ops::LayoutPtr& rows, const Context& context) const {
  for (size_t i = 0; i < layers.size(); ++i) {
    if (i > 0) {
      x = ops::grid_windows(x, rows, kWindow, kStride, context.tape);
      rows = ops::strided_grid_rows(rows, kStride);
    }
    x = norms[i](layers[i](x, context.tape), context);
    x = ops::activate(ops::Activation::kGelu, x, context.tape);
  }
  return projection(x, context.tape);  // [M, D]
}

}  // namespace weft::nn
