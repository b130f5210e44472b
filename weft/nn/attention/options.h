// The options of attention.
#ifndef WEFT_NN_ATTENTION_OPTIONS_H_
#define WEFT_NN_ATTENTION_OPTIONS_H_

#include "weft/nn/attention/activation.h"
#include "weft/nn/attention/kind_choice.h"
#include "weft/nn/attention/prior.h"
#include "weft/nn/attention/qk_norm.h"

namespace weft::nn {

// Which stacks of an encoder-decoder have self-attention of the kind.
struct InAllStacks {
  static constexpr std::string_view kName = "all";
};
struct InEncoder {
  static constexpr std::string_view kName = "encoder";
};
struct InDecoder {
  static constexpr std::string_view kName = "decoder";
};

struct AttentionOptions {
  int64_t heads = 8;
  int64_t key_size = 0;
  int64_t value_size = 0;
  double scale = 0;
  bool bias = true;
  double soft_cap = 0;
  // Where there are biases.
  bool query_bias = true, key_bias = true, value_bias = true, output_bias = true;
  AttentionKinds kind = {};
  QkNormKinds qk_norm = {};
  ActivationKinds activation = {};
  int64_t key_heads = 0;
  double dropout = 0;

  // G, the heads of keys and values.
  int64_t groups() const { return key_heads == 0 ? heads : key_heads; }

  template <class V>
  void fields(V& v) {
    v("transformer-heads", heads, {.help = "attention heads, H", .min = 1, .max = 1024});
    v("transformer-dim-key", key_size,
      {.help = "size of a head's keys and queries; 0: dim-emb / heads", .min = 0, .max = 65536});
    v("transformer-dim-value", value_size,
      {.help = "size of a head's values; 0: dim-emb / heads", .min = 0, .max = 65536});
    v("attention-scale", scale,
      {.help = "factor on attention scores, at least 1e-6; 0: 1 / sqrt(key size)",
       .min = 0,
       .max = 1e6});
    v("attention-soft-cap", soft_cap,
      {.help = "c of attention scores c tanh(s / c), between -c and c (Gemma 2, arXiv 2408.00118); "
               "0: none",
       .min = 0,
       .max = 1e6,
       .omitted_if = "0"});
    v("attention-bias", bias, {.help = "biases in the attention's projections"});
    v("attention-query-bias", query_bias,
      {.help = "where there are biases, that of queries", .omitted_if = "true"});
    v("attention-key-bias", key_bias,
      {.help = "where there are biases, that of keys, which softmax cancels",
       .omitted_if = "true"});
    v("attention-value-bias", value_bias,
      {.help = "where there are biases, that of values", .omitted_if = "true"});
    v("attention-output-bias", output_bias,
      {.help = "where there are biases, that of the output", .omitted_if = "true"});
    kind.fields(v);
    options::choice(v, "attention-qk-norm", qk_norm,
                    {.help = "norm of each head's queries and keys"});
    options::choice(v, "attention-activation", activation,
                    {.help = "from attention scores to attention probabilities"});
    v("transformer-key-heads", key_heads,
      {.help = "heads of keys and values, each shared by several heads: grouped-query attention "
               "(Ainslie et al. 2023); 1: multi-query (Shazeer 2019); 0: one for each head",
       .min = 0,
       .max = 1024});
    v("transformer-dropout-attention", dropout,
      {.help = "dropout of attention probabilities", .min = 0, .max = 0.99});
  }

  // Throws OptionError for options that contradict each other.
  void check() const;
};

// What a model with an encoder and a decoder adds to them.
struct EncoderDecoderAttentionOptions {
  options::OneOf<InAllStacks, InEncoder, InDecoder> stacks = {};
  PriorKinds prior = {};

  template <class V>
  void fields(V& v) {
    options::choice(
        v, "attention-in", stacks,
        {.help = "the stack whose self-attention is of the kind of --attention; the other "
                 "stack's, and cross-attention, is full"});
    options::choice(
        v, "attention-prior", prior,
        {.help = "bias on scores of attention to the source, the same in training and decoding, "
                 "by the distance d from source token ratio * i for target token i"});
  }

  // Throws OptionError where these contradict the kind of self-attention.
  void check(const AttentionKinds& kind) const;
};

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_OPTIONS_H_
