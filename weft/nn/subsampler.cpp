#include "weft/nn/subsampler.h"

#include "weft/ops/activation.h"
#include "weft/ops/rows/windows.h"

namespace weft::nn {

void SubsamplerOptions::check() const {
  if (width % 2 != 0) return;
  fail<OptionError>("--subsampling-width", "expected an odd number of rows, got {}", width);
}

int64_t SubsamplerOptions::rows_of(int64_t rows) const {
  for (int64_t l = 0; l < layers; ++l) rows = (rows + 1) / 2;
  return rows;
}

Subsampler::Subsampler(const SubsamplerOptions& o, int64_t in, int64_t out) : width(o.width) {
  for (int64_t l = 0; l < o.layers; ++l) {
    const int64_t channels = l + 1 < o.layers ? o.channels : out;
    layers.emplace_back(width * in, 2 * channels, true);
    in = channels;
  }
}

Subsampler::Output Subsampler::operator()(Tensor x, ops::LayoutPtr rows,
                                          autograd::Tape* tape) const {
  for (const Linear& layer : layers) {
    const Tensor windows = ops::strided_windows(x, rows, width, 2, tape);  // [M, width*C_in]
    rows = ops::strided_rows(rows, 2);
    x = ops::gate(ops::Activation::kSigmoid, layer(windows, tape), tape);  // [M, C]
  }
  return {std::move(x), std::move(rows)};
}

}  // namespace weft::nn
