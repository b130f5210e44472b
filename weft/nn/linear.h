// Affine maps, by packed weights where they are packed.
#ifndef WEFT_NN_LINEAR_H_
#define WEFT_NN_LINEAR_H_

#include "weft/nn/parameters.h"
#include "weft/ops/fused/linear.h"

namespace weft::nn {

// y = dropout(act(x W^T + b)), W and b each being one or more contiguous parameters in one product;
// biases that are not present are left out. x [N, D_in], y [N, D_out]. Packed weights are for
// inference: `params.dropout` is then not read.
Tensor linear(const Tensor& x, ContiguousParameters weights, ContiguousParameters biases,
              const ops::LinearParams& params, autograd::Tape* tape);

// The same with one weight [D_out, D_in] and one bias.
struct Linear {
  Parameter weight;  // [D_out, D_in]
  Parameter bias;    // [1, D_out]

  Linear() = default;
  Linear(int64_t in, int64_t out, bool with_bias)
      : weight({out, in}, Init::kGlorot),
        bias(with_bias ? Parameter({1, out}, Init::kZeros) : Parameter()) {}

  Tensor operator()(const Tensor& x, autograd::Tape* tape,
                    ops::Activation activation = ops::Activation::kNone) const {
    return linear(x, {&weight}, {&bias}, activation, tape);
  }
  template <class V>
  void fields(V& v) {
    v("weight", weight);
    v("bias", bias);
  }
};

}  // namespace weft::nn

#endif  // WEFT_NN_LINEAR_H_
