// Convolutions that shorten sequences of vectors before an encoder reads them, as those of
// Synnaeve et al. 2019 (arXiv 1911.08460) and Transformers' Speech2Text.
#ifndef WEFT_NN_SUBSAMPLER_H_
#define WEFT_NN_SUBSAMPLER_H_

#include <vector>

#include "weft/nn/linear.h"
#include "weft/ops/layout.h"
#include "weft/options/fields.h"

namespace weft::nn {

struct SubsamplerOptions {
  int64_t layers = 2;
  int64_t channels = 256;
  int64_t width = 5;

  template <class V>
  void fields(V& v) {
    v("subsampling-layers", layers,
      {.help = "convolutions before the encoder, each of which halves the number of frames",
       .min = 1,
       .max = 8});
    v("subsampling-channels", channels,
      {.help = "outputs of each of them but the last, which has --dim-emb",
       .min = 1,
       .max = 65536});
    v("subsampling-width", width,
      {.help = "rows that such a convolution sees, odd", .min = 1, .max = 101});
  }
  // Throws OptionError for an even width.
  void check() const;
  // Rows that are left of this many: ceil(rows / 2) for each layer.
  int64_t rows_of(int64_t rows) const;
};

struct Subsampler {
  std::vector<Linear> layers;  // [2*C, width*C_in]: gates, then what they let through
  int64_t width = 5;

  Subsampler() = default;
  // From vectors of `in` numbers to `out`.
  Subsampler(const SubsamplerOptions& options, int64_t in, int64_t out);

  struct Output {
    Tensor x;  // [M, out]
    ops::LayoutPtr rows;
  };
  // Each layer gives a W w + b for every second row, times the sigmoid of W_g w + b_g, with w
  // [width*C_in] the window around the row; x [N, in].
  Output operator()(Tensor x, ops::LayoutPtr rows, autograd::Tape* tape) const;

  template <class V>
  void fields(V& v) {
    v("layers", layers);
  }
};

}  // namespace weft::nn

#endif  // WEFT_NN_SUBSAMPLER_H_
