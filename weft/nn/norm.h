// Layer norm, and where it stands around a sublayer.
#ifndef WEFT_NN_NORM_H_
#define WEFT_NN_NORM_H_

#include <variant>

#include "weft/nn/context.h"
#include "weft/nn/parameters.h"
#include "weft/ops/add.h"
#include "weft/ops/dropout.h"
#include "weft/ops/fused/residual_norm.h"
#include "weft/ops/layer_norm.h"

namespace weft::nn {

struct LayerNorm {
  Parameter weight;  // [1, D]
  Parameter bias;    // [1, D]
  double epsilon = 1e-5;

  LayerNorm() = default;
  LayerNorm(int64_t features, double small)
      : weight({1, features}, Init::kOnes), bias({1, features}, Init::kZeros), epsilon(small) {}

  ops::NormWeights weights() const { return {weight, bias, epsilon}; }
  Tensor operator()(const Tensor& x, autograd::Tape* tape) const {
    return ops::layer_norm(x, weights(), tape);
  }
  template <class V>
  void fields(V& v) {
    v("weight", weight);
    v("bias", bias);
  }
};

// What connects a sublayer to the residual stream.
struct Connection {
  const LayerNorm& norm;
  const ops::DropoutSite& dropout;
};

// The sublayer connection of the paper: norm(x + drop(f(x))) (Vaswani et al. 2017).
struct PostNorm {
  template <class F>
  Tensor operator()(const Tensor& x, const Connection& by, Context& context, F&& sublayer) const {
    return ops::residual_norm(sublayer(x), x, by.dropout, by.norm.weights(), context.tape).norm;
  }
};

// x + drop(f(norm(x))): trains without warm-up (Xiong et al. 2020, arXiv 2002.04745); the stack
// ends with a norm of its own.
struct PreNorm {
  template <class F>
  Tensor operator()(const Tensor& x, const Connection& by, Context& context, F&& sublayer) const {
    const Tensor y = sublayer(by.norm(x, context.tape));
    return ops::add(x, ops::dropout(y, by.dropout, context.tape), context.tape);
  }
};

using NormPlace = std::variant<PostNorm, PreNorm>;

// "post" or "pre"; throws OptionError for another name.
NormPlace make_norm_place(std::string_view name);

}  // namespace weft::nn

#endif  // WEFT_NN_NORM_H_
