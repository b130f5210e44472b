// Affine maps, by packed weights where they are packed, with low-rank updates where they have them.
#ifndef WEFT_NN_LINEAR_H_
#define WEFT_NN_LINEAR_H_

#include "weft/nn/context.h"
#include "weft/nn/parameters.h"
#include "weft/ops/fused/linear.h"

namespace weft::nn {

// The pass that a linear map is part of. In a layer, low-rank updates have dropout.
struct LinearPass {
  autograd::Tape* tape = nullptr;
  const Context* context = nullptr;      // of a layer, with
  const ops::LayoutPtr* rows = nullptr;  // the sequences of x

  LinearPass(autograd::Tape* wanted) : tape(wanted) {}  // NOLINT: a tape may say all there is
  LinearPass(const Context& layer, const ops::LayoutPtr& sequences)
      : tape(layer.tape), context(&layer), rows(&sequences) {}
};

// y = dropout(act(x W^T + b)), W and b each being one or more contiguous parameters in one product;
// biases that are not present are left out. x [N, D_in], y [N, D_out]. Packed weights are for
// inference: `params.dropout` is then not read.
Tensor linear(const Tensor& x, ContiguousParameters weights, ContiguousParameters biases,
              const ops::LinearParams& params, const LinearPass& pass);

// The same with one weight [D_out, D_in] and one bias.
struct Linear {
  Parameter weight;  // [D_out, D_in]
  Parameter bias;    // [1, D_out]

  Linear() = default;
  Linear(int64_t in, int64_t out, bool with_bias)
      : weight({out, in}, Init::kGlorot),
        bias(with_bias ? Parameter({1, out}, Init::kZeros) : Parameter()) {}

  Tensor operator()(const Tensor& x, const LinearPass& pass,
                    ops::Activation activation = ops::Activation::kNone) const {
    return linear(x, {&weight}, {&bias}, activation, pass);
  }
  template <class V>
  void fields(V& v) {
    v("weight", weight);
    v("bias", bias);
  }
};

}  // namespace weft::nn

#endif  // WEFT_NN_LINEAR_H_
