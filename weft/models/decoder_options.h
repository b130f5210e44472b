// The options of a decoder of tokens, beside those that its layers have in common with an
// encoder's.
#ifndef WEFT_MODELS_DECODER_OPTIONS_H_
#define WEFT_MODELS_DECODER_OPTIONS_H_

#include <cstdint>

namespace weft::models {

struct DecoderLayers {
  int64_t dec_depth = 2;

  template <class V>
  void fields(V& v) {
    v("dec-depth", dec_depth, {.help = "decoder layers", .min = 1, .max = 1000});
  }
};

struct DecoderOptions : DecoderLayers {
  bool output_bias = true;
  bool tied_embeddings = false;
  double output_soft_cap = 0;
  double output_scale = 1;

  template <class V>
  void fields(V& v) {
    DecoderLayers::fields(v);
    v("output-bias", output_bias, {.help = "bias of the output layer"});
    v("output-soft-cap", output_soft_cap,
      {.help = "c of logits c tanh(x / c), between -c and c (Gemma 2, arXiv 2408.00118); 0: none",
       .min = 0,
       .max = 1e6,
       .omitted_if = "0"});
    v("output-scale", output_scale,
      {.help = "factor on the states that the output layer reads: 1 / sqrt(dim-emb) in T5 (Raffel "
               "et al. 2020, arXiv 1910.10683)",
       .min = 1e-6,
       .max = 1e6,
       .omitted_if = "1"});
    v("tied-embeddings", tied_embeddings, {.help = "one matrix for target embedding and output"});
  }
};

}  // namespace weft::models

#endif  // WEFT_MODELS_DECODER_OPTIONS_H_
