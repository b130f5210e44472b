// The options of an embedder.
#ifndef WEFT_MODELS_EMBEDDER_OPTIONS_H_
#define WEFT_MODELS_EMBEDDER_OPTIONS_H_

#include <vector>

#include "weft/models/encoders/text_encoder_options.h"
#include "weft/nn/dense.h"
#include "weft/nn/pooling.h"

namespace weft::models {

// The layers after the pooling.
struct DenseOptions {
  std::vector<int64_t> sizes = {};
  options::OneOf<nn::DenseTanh, nn::DenseIdentity, nn::DenseRelu, nn::DenseGelu, nn::DenseSilu>
      activation = {};
  bool bias = true;

  ops::Activation function() const {
    return activation.visit([](const auto& kind) { return kind.kActivation; });
  }
  template <class V>
  void fields(V& v) {
    v("dense-sizes", sizes,
      {.help = "numbers that linear layers after the pooling compute, for each layer; none: no "
               "such layer",
       .min = 1,
       .max = 65536});
    options::choice(v, "dense-activation", activation, {.help = "activation after each of them"});
    v("dense-bias", bias, {.help = "biases in them"});
  }
};

struct EmbedderOptions {
  TextEncoderOptions encoder = {};
  nn::PoolingKinds pooling = {};
  DenseOptions dense = {};
  bool normalise = true;

  bool pools_first() const { return pooling.is<nn::FirstRowPoolingOptions>(); }
  // The begin symbol stands before the text.
  bool with_begin() const { return pools_first() || encoder.embedding.begin_symbol; }
  // Special symbols of a text.
  int64_t special_symbols() const { return with_begin() ? 2 : 1; }

  template <class V>
  void fields(V& v) {
    options::group(v, "Embedder");
    options::choice(v, "pooling", pooling,
                    {.help = "from the encoder's states to one vector of a text"});
    dense.fields(v);
    v("normalise", normalise, {.help = "vectors of length one", .alias = "normalize"});
    encoder.fields(v);
  }

  // Throws OptionError for options that contradict each other, with the reason.
  void check() const { encoder.check(); }
};

}  // namespace weft::models

#endif  // WEFT_MODELS_EMBEDDER_OPTIONS_H_
