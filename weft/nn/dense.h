// Linear layers between an encoder and what a model gives, as pretrained models have them.
#ifndef WEFT_NN_DENSE_H_
#define WEFT_NN_DENSE_H_

#include <string_view>

#include "weft/nn/linear.h"
#include "weft/nn/norm.h"
#include "weft/options/fields.h"

namespace weft::nn {

// What follows such a layer.
struct DenseIdentity {
  static constexpr std::string_view kName = "none";
  static constexpr auto kActivation = ops::Activation::kNone;
};
struct DenseTanh {
  static constexpr std::string_view kName = "tanh";
  static constexpr auto kActivation = ops::Activation::kTanh;
};
struct DenseRelu {
  static constexpr std::string_view kName = "relu";
  static constexpr auto kActivation = ops::Activation::kRelu;
};
struct DenseGelu {
  static constexpr std::string_view kName = "gelu";
  static constexpr auto kActivation = ops::Activation::kGelu;
};
struct DenseGeluTanh {
  static constexpr std::string_view kName = "gelu-tanh";
  static constexpr auto kActivation = ops::Activation::kGeluTanh;
};
struct DenseSilu {
  static constexpr std::string_view kName = "silu";
  static constexpr auto kActivation = ops::Activation::kSilu;
};

// A layer before an output layer.
struct HeadOptions {
  options::OneOf<DenseIdentity, DenseTanh, DenseRelu, DenseGelu, DenseSilu> activation = {};
  bool bias = true;
  bool norm = false;

  bool is_on() const { return !activation.is<DenseIdentity>(); }
  template <class V>
  void fields(V& v) {
    options::choice(v, "head-activation", activation,
                    {.help = "a linear layer with this activation before the output layer, as "
                             "BERT has it with tanh; none: no such layer",
                     .omitted_if = "none"});
    options::belongs_to<DenseTanh, DenseRelu, DenseGelu, DenseSilu>(
        v, "head-activation", &activation.selection(), [&] {
          v("head-bias", bias, {.help = "the bias of this layer", .omitted_if = "true"});
          v("head-norm", norm,
            {.help = "a norm after its activation, of --norm-kind, as ModernBERT has it",
             .omitted_if = "false"});
        });
  }
};

struct HeadLayer {
  Linear dense;  // [D, D]
  Norm norm;
  ops::Activation activation = ops::Activation::kNone;

  HeadLayer() = default;
  HeadLayer(const HeadOptions& options, int64_t features, const NormOptions& norms)
      : activation(options.activation.visit([](const auto& kind) { return kind.kActivation; })) {
    if (!options.is_on()) return;
    dense = Linear(features, features, options.bias);
    if (options.norm) norm = make_norm(norms, features);
  }

  // x [N, D]; as it is without a layer.
  Tensor operator()(const Tensor& x, const Context& context) const {
    if (!dense.weight.is_present()) return x;
    const Tensor y = dense(x, context.tape, activation);
    return norm.is_present() ? norm(y, context) : y;
  }
  template <class V>
  void fields(V& v) {
    v("dense", dense);
    v("norm", norm);
  }
};

}  // namespace weft::nn

#endif  // WEFT_NN_DENSE_H_
