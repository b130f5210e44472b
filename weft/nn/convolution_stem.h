// Convolutions that bring a picture to the patches of a Transformer.
#ifndef WEFT_NN_CONVOLUTION_STEM_H_
#define WEFT_NN_CONVOLUTION_STEM_H_

#include <vector>

#include "weft/nn/linear.h"
#include "weft/nn/norm.h"
#include "weft/ops/layout.h"

namespace weft::nn {

// In place of a linear map of each patch (Xiao et al. 2021, arXiv 2106.14881): a linear map of
// squares of 2 by 2 pixels, then 3 by 3 convolutions of stride 2, each with twice as many features,
// and layer norm and GELU after each; at last a linear map.
struct ConvolutionStem {
  static constexpr int64_t kSquare = 2;  // pixels

  std::vector<Linear> layers;  // [D / 2^l, kSquare^2 * channels], then [D / 2^i, 9 * D / 2^(i + 1)]
  std::vector<LayerNorm> norms;
  Linear projection;  // [D, D]

  ConvolutionStem() = default;
  // Of D `features`, and patches of 2^(l + 1) pixels; check() says for which there is one.
  ConvolutionStem(int64_t channels, int64_t patch, int64_t features);
  // Throws OptionError unless the patch is 4, 8, 16, ... and half of it divides the features.
  static void check(int64_t patch, int64_t features);

  bool is_present() const { return !layers.empty(); }
  // Of squares x [N, kSquare^2 * channels], rows with a grid, the patches [M, D]; `rows` become
  // theirs.
  Tensor operator()(Tensor x, ops::LayoutPtr& rows, const Context& context) const;

  template <class V>
  void fields(V& v) {
    v("layers", layers);
    v("norms", norms);
    v("projection", projection);
  }
};

}  // namespace weft::nn

#endif  // WEFT_NN_CONVOLUTION_STEM_H_
