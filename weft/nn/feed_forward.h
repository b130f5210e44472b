// The position-wise feed-forward network.
#ifndef WEFT_NN_FEED_FORWARD_H_
#define WEFT_NN_FEED_FORWARD_H_

#include "weft/nn/context.h"
#include "weft/nn/linear.h"
#include "weft/options/fields.h"

namespace weft::nn {

struct ReluFeedForward {
  static constexpr std::string_view kName = "relu";
  static constexpr auto kActivation = ops::Activation::kRelu;
};
struct GeluFeedForward {
  static constexpr std::string_view kName = "gelu";
  static constexpr auto kActivation = ops::Activation::kGelu;
};
struct GeluTanhFeedForward {
  static constexpr std::string_view kName = "gelu-tanh";
  static constexpr std::string_view kHelp = "its approximation by tanh, as GPT-2 and Gemma have it";
  static constexpr auto kActivation = ops::Activation::kGeluTanh;
};
struct SiluFeedForward {
  static constexpr std::string_view kName = "silu";
  static constexpr auto kActivation = ops::Activation::kSilu;
};

struct FeedForwardOptions {
  int64_t inner = 2048;  // F
  options::OneOf<ReluFeedForward, GeluFeedForward, GeluTanhFeedForward, SiluFeedForward>
      activation = {};
  bool gated = false;
  bool bias = true;
  double dropout = 0;

  ops::Activation function() const {
    return activation.visit([](const auto& kind) { return kind.kActivation; });
  }
  template <class V>
  void fields(V& v) {
    v("transformer-dim-ffn", inner,
      {.help = "inner size of the feed-forward network, F", .min = 1, .max = 1048576});
    options::choice(v, "transformer-ffn-activation", activation,
                    {.help = "activation of the feed-forward network"});
    v("transformer-ffn-gated", gated,
      {.help = "gated feed-forward network (Shazeer 2020, arXiv 2002.05202)"});
    v("transformer-ffn-bias", bias,
      {.help = "biases in the feed-forward network", .omitted_if = "true"});
    v("transformer-dropout-ffn", dropout,
      {.help = "dropout inside the feed-forward network", .min = 0, .max = 0.99});
  }
};

// y = W2 drop(act(W1 x + b1)) + b2, or, gated, W2 drop(act(Wg x + bg) * (W1 x + b1)) + b2
// (Shazeer 2020), with biases or without. x [N, D], y [N, D].
struct FeedForward {
  FeedForwardOptions options;
  Dropout dropout;
  Parameter gate_weight, fc1_weight;  // [F, D], fused
  Parameter gate_bias, fc1_bias;      // [1, F], fused
  Linear fc2;

  FeedForward() = default;
  FeedForward(const FeedForwardOptions& wanted, int64_t features, RngStreams& streams);

  Tensor operator()(const Tensor& x, const ops::LayoutPtr& rows, const Context& context) const;
  template <class V>
  void fields(V& v) {
    v("gate.weight", gate_weight);
    v("fc1.weight", fc1_weight);
    v("gate.bias", gate_bias);
    v("fc1.bias", fc1_bias);
    v("fc2", fc2);
  }
};

}  // namespace weft::nn

#endif  // WEFT_NN_FEED_FORWARD_H_
