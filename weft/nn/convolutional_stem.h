// Convolutions from pixels to patches in place of one projection of each patch, with which Vision
// Transformers learn faster (Xiao et al. 2021, arXiv 2106.14881).
#ifndef WEFT_NN_CONVOLUTIONAL_STEM_H_
#define WEFT_NN_CONVOLUTIONAL_STEM_H_

#include <vector>

#include "weft/nn/linear.h"
#include "weft/nn/norm.h"

namespace weft::nn {

struct ConvolutionalStem {
  struct Layer {
    Linear convolution;  // [C, 3*3*C_in], without a bias
    LayerNorm norm;      // of each pixel's C numbers

    template <class V>
    void fields(V& v) {
      v("convolution", convolution);
      v("norm", norm);
    }
  };
  std::vector<Layer> layers;
  Linear projection;  // [D, C]

  ConvolutionalStem() = default;
  // `halvings` layers from pixels of `channels` numbers to D features; each has twice the channels
  // of the one before, the last one D.
  ConvolutionalStem(int64_t channels, int64_t features, int64_t halvings);

  struct Output {
    Tensor x;  // [M, D]
    ops::RowsPtr rows;
  };
  // Each layer is x = gelu(norm(W w)) with w the 3 by 3 window around every second pixel of every
  // second row; x [N, channels], rows with their coordinates in a picture.
  Output operator()(Tensor x, ops::RowsPtr rows, const Context& context) const;

  template <class V>
  void fields(V& v) {
    v("layers", layers);
    v("projection", projection);
  }
};

}  // namespace weft::nn

#endif  // WEFT_NN_CONVOLUTIONAL_STEM_H_
