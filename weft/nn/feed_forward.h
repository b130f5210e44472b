// The position-wise feed-forward network.
#ifndef WEFT_NN_FEED_FORWARD_H_
#define WEFT_NN_FEED_FORWARD_H_

#include "weft/nn/context.h"
#include "weft/nn/linear.h"

namespace weft::nn {

struct FeedForwardOptions {
  int64_t features = 512;  // D
  int64_t inner = 2048;    // F
  ops::Activation activation = ops::Activation::kRelu;
  bool gated = false;
  double dropout = 0;  // on the inner activations
};

// y = W2 drop(act(W1 x + b1)) + b2, or, gated, W2 drop(act(Wg x + bg) * (W1 x + b1)) + b2
// (Shazeer 2020). x [N, D], y [N, D].
struct FeedForward {
  FeedForwardOptions options;
  Parameter gate_weight, fc1_weight;  // [F, D], neighbours
  Parameter gate_bias, fc1_bias;      // [1, F], neighbours
  Linear fc2;

  FeedForward() = default;
  explicit FeedForward(const FeedForwardOptions& wanted);

  Tensor operator()(const Tensor& x, const ops::RowsPtr& rows, Context& context) const;
  template <class V>
  void fields(V& v) {
    v("gate.weight", gate_weight);
    v("fc1.weight", fc1_weight);
    v("gate.bias", gate_bias);
    v("fc1.bias", fc1_bias);
    v("fc2", fc2);
  }
};

// "relu", "gelu" or "silu"; throws OptionError for another name.
ops::Activation make_activation(std::string_view name);

}  // namespace weft::nn

#endif  // WEFT_NN_FEED_FORWARD_H_
