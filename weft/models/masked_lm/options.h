// The options of a masked language model.
#ifndef WEFT_MODELS_MASKED_LM_OPTIONS_H_
#define WEFT_MODELS_MASKED_LM_OPTIONS_H_

#include "weft/models/encoders/text_encoder_options.h"
#include "weft/nn/dense.h"

namespace weft::models {

// The layer between the encoder and the output layer, which a norm follows.
struct MaskedHeadOptions {
  options::OneOf<nn::DenseGelu, nn::DenseGeluTanh, nn::DenseRelu, nn::DenseSilu, nn::DenseTanh>
      activation = {};
  bool bias = true;
  bool output_bias = true;

  ops::Activation function() const {
    return activation.visit([](const auto& kind) { return kind.kActivation; });
  }
  template <class V>
  void fields(V& v) {
    options::choice(v, "head-activation", activation,
                    {.help = "activation of the linear layer before the output layer"});
    v("head-bias", bias, {.help = "the bias of this layer"});
    v("output-bias", output_bias, {.help = "a bias in the output layer"});
  }
};

struct MaskedLmOptions {
  TextEncoderOptions encoder = {};
  MaskedHeadOptions head = {};

  // Special symbols of a text.
  int64_t special_symbols() const { return encoder.embedding.begin_symbol ? 2 : 1; }

  template <class V>
  void fields(V& v) {
    options::group(v, "Masked language model");
    head.fields(v);
    encoder.fields(v);
  }

  // Throws OptionError for options that contradict each other, with the reason.
  void check() const { encoder.check(); }
};

// What the vocabulary fixes of a masked language model.
struct MaskedLmDims : TextEncoderDims {
  int64_t mask_id = 0;

  template <class V>
  void fields(V& v) {
    TextEncoderDims::fields(v);
    v("mask-id", mask_id, {.help = "of the mask symbol", .min = 0});
  }
  // Throws OptionError for an id that is not in the vocabulary.
  void check() const;
};

}  // namespace weft::models

#endif  // WEFT_MODELS_MASKED_LM_OPTIONS_H_
