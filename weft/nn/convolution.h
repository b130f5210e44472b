// A convolutional encoder of one stack (Gehring et al. 2017, arXiv 1611.02344, has two, one for the
// values of attention; the gated layers are of arXiv 1705.03122).
#ifndef WEFT_NN_CONVOLUTION_H_
#define WEFT_NN_CONVOLUTION_H_

#include <vector>

#include "weft/nn/context.h"
#include "weft/nn/linear.h"
#include "weft/nn/memory.h"

namespace weft::nn {

struct ConvolutionOptions {
  int64_t features = 512;  // D
  int64_t depth = 6;
  int64_t width = 3;     // of a window, in tokens; odd
  double dropout = 0;    // on the input of each layer
  bool in_grid = false;  // windows are squares in a picture
};

// Each layer adds to its input a gated linear unit (Dauphin et al. 2017) of a window of tokens
// around each: x = (x + s(W_g w + b_g) * (W w + b)) sqrt(1/2), with w [width*D] the window and s
// the sigmoid. A window ends where its sequence does. In a picture w [width*width*D] is the square
// of rows around each.
struct ConvolutionalEncoder {
  std::vector<Linear> layers;  // [2*D, width*D]: gates, then what they let through
  int64_t width = 3;
  bool in_grid = false;
  Dropout dropout;  // one for each layer

  ConvolutionalEncoder() = default;
  ConvolutionalEncoder(const ConvolutionOptions& options, RngStreams& streams);

  // States [M, D]; the initial decoder state is their mean over each sequence, [B, D].
  Memory operator()(Tensor x, const ops::LayoutPtr& rows, const Context& context) const;
  template <class V>
  void fields(V& v) {
    v("layers", layers);
  }
};

}  // namespace weft::nn

#endif  // WEFT_NN_CONVOLUTION_H_
