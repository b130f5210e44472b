#include "weft/nn/convolution.h"

#include <cmath>

#include "weft/ops/add.h"
#include "weft/ops/dropout.h"
#include "weft/ops/rows/mean_rows.h"
#include "weft/ops/rows/windows.h"
#include "weft/ops/scale.h"

namespace weft::nn {

ConvolutionalEncoder::ConvolutionalEncoder(const ConvolutionOptions& o, RngStreams& streams)
    : width(o.width), in_grid(o.in_grid), dropout{o.dropout, streams.take(o.depth)} {
  const int64_t rows = in_grid ? width * width : width;  // of a window
  for (int64_t l = 0; l < o.depth; ++l)
    layers.emplace_back(rows * o.features, 2 * o.features, true);
}

Memory ConvolutionalEncoder::operator()(Tensor x, const ops::LayoutPtr& rows,
                                        const Context& context) const {
  autograd::Tape* tape = context.tape;
  Dropout before_layer = dropout;
  for (const Linear& layer : layers) {
    const Tensor in = ops::dropout(x, context.dropout(before_layer, rows), tape);
    ++before_layer.stream;
    const Tensor windows =
        in_grid ? ops::grid_windows(in, rows, width, 1, tape) : ops::windows(in, rows, width, tape);
    const Tensor both = layer(windows, tape);  // [M, 2*D]
    const Tensor gated = ops::gate(ops::Activation::kSigmoid, both, tape);
    x = ops::scale(ops::add(x, gated, tape), std::sqrt(0.5), tape);
  }
  return {x, rows, {ops::mean_rows(x, rows, tape)}};
}

}  // namespace weft::nn
