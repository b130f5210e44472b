// The options of encoder-decoders, and which of them contradict each other.
#ifndef WEFT_MODELS_SEQ2SEQ_SEQ2SEQ_OPTIONS_H_
#define WEFT_MODELS_SEQ2SEQ_SEQ2SEQ_OPTIONS_H_

#include <optional>

#include "weft/models/decoder_options.h"
#include "weft/models/encoders/encoder.h"
#include "weft/models/seq2seq/generation_options.h"
#include "weft/models/seq2seq/target_lengths.h"
#include "weft/options/fields.h"

namespace weft::models {

struct RnnType {
  static constexpr std::string_view kName = "rnn";
  static constexpr std::string_view kHelp =
      "recurrent encoder and decoder, whose initial state is the encoder's last one (Sutskever et "
      "al. 2014)";
};
struct RnnAttentionType {
  static constexpr std::string_view kName = "rnn-attention";
  static constexpr std::string_view kHelp =
      "the same with attention to all states of the encoder (Bahdanau et al. 2015)";
};
struct CnnType {
  static constexpr std::string_view kName = "cnn";
  static constexpr std::string_view kHelp =
      "a convolutional encoder with that decoder (Gehring et al. 2017, arXiv 1611.02344)";
};

// The order of options in --help, YAML and model files, kept so that a model has the same bytes in
// files of every version. An option that is not here follows the one visited before it.
inline constexpr std::string_view kOptionOrder[] = {"enc-depth",
                                                    "dec-depth",
                                                    "dim-emb",
                                                    "transformer-heads",
                                                    "transformer-dim-ffn",
                                                    "transformer-dim-key",
                                                    "transformer-dim-value",
                                                    "attention-scale",
                                                    "transformer-ffn-activation",
                                                    "transformer-ffn-gated",
                                                    "attention-bias",
                                                    "output-bias",
                                                    "transformer-norm",
                                                    "norm-kind",
                                                    "norm-epsilon",
                                                    "norm-momentum",
                                                    "residual-scale",
                                                    "drop-path",
                                                    "tied-layers",
                                                    "prune-heads",
                                                    "position",
                                                    "max-positions",
                                                    "position-scale",
                                                    "rotary-base",
                                                    "relative-buckets",
                                                    "relative-max-distance",
                                                    "attention",
                                                    "attention-window",
                                                    "attention-block",
                                                    "attention-global",
                                                    "attention-keys",
                                                    "attention-clusters",
                                                    "attention-clustering",
                                                    "attention-rounds",
                                                    "attention-sorting-steps",
                                                    "attention-in",
                                                    "attention-qk-norm",
                                                    "attention-activation",
                                                    "transformer-key-heads",
                                                    "attention-prior",
                                                    "attention-prior-width",
                                                    "attention-prior-ratio",
                                                    "tied-embeddings",
                                                    "tied-embeddings-all",
                                                    "transformer-dropout",
                                                    "transformer-dropout-attention",
                                                    "transformer-dropout-ffn"};

// Tokens of a source and of its target.
struct PairLengths {
  int64_t source, target;
};

struct Seq2SeqOptions {
  options::OneOf<TransformerType, RnnType, RnnAttentionType, CnnType> type = {};
  EncoderLayers encoder = {{.dim_emb = 512}, 6};  // the decoder's layers have the same options
  DecoderOptions decoder = {{6}};
  bool tied_embeddings_all = false;
  bool tied_embeddings_src = false;
  std::optional<double> embedding_scale = {};  // none: sqrt(D)
  nn::EncoderDecoderAttentionOptions encoder_decoder = {};
  nn::RecurrentAttentionOptions recurrent_attention = {};
  GenerationKinds generation = {};

  bool is_transformer() const { return type.is<TransformerType>(); }
  bool shares_table() const { return tied_embeddings_all || tied_embeddings_src; }
  bool is_left_to_right() const { return generation.is<LeftToRight>(); }
  bool is_mask_predict() const { return generation.is<MaskPredict>(); }
  bool is_ctc() const { return generation.is<Ctc>(); }
  bool predicts_length() const { return length_classifier(generation) != nullptr; }
  // The encoder, as one without a decoder.
  EncoderOptions encoder_options() const;
  // The layers of the decoder, where it is a Transformer.
  LayerOptions decoder_layers() const;

  // The most tokens, end symbol included, that the learned tables of the encoder and of the
  // decoder, of positions or in self-attention, have rows for; a very large number without tables.
  int64_t encoder_capacity() const { return encoder_options().table_capacity(); }
  int64_t target_capacity() const;
  // The most source tokens, end symbol included, that can be translated whole: as many as the
  // encoder's tables hold, and with ctc, whose positions cannot be cut, as the decoder's hold
  // positions for.
  int64_t source_capacity() const;
  // The most tokens, without end symbols, that these tables have rows for in a source and in its
  // target.
  PairLengths longest_pair() const;

  template <class V>
  void fields(V& v) {
    options::group(v, "Model");
    options::choice(v, "type", type,
                    {.help = "network between the embeddings and the output layer"});
    encoder.size_fields(v);
    for_types<TransformerType>(v, [&] {
      encoder.transformer.fields(v);
      encoder_decoder.fields(v);
    });
    for_types<TransformerType, CnnType>(v, [&] { encoder.position.fields(v); });
    decoder.fields(v);
    v("tied-embeddings-all", tied_embeddings_all,
      {.help = "one matrix for both embeddings and output; needs one vocabulary"});
    v("tied-embeddings-src", tied_embeddings_src,
      {.help = "one matrix for both embeddings, and another for the output; needs one vocabulary",
       .omitted_if = "false"});
    v("embedding-scale", embedding_scale,
      {.help = "factor on embeddings; auto: sqrt(dim-emb)",
       .min = 1e-6,
       .max = 1e6,
       .omitted_if = "auto"});
    options::arrange(v, kOptionOrder);
    for_types<RnnType, RnnAttentionType, CnnType>(v, [&] { encoder.recurrent.cell_fields(v); });
    for_types<RnnAttentionType, CnnType>(v, [&] { recurrent_attention.fields(v); });
    for_types<RnnType, RnnAttentionType>(v, [&] { encoder.recurrent.direction_fields(v); });
    for_types<RnnType, RnnAttentionType, CnnType>(v, [&] { encoder.recurrent.dropout_fields(v); });
    for_types<CnnType>(v, [&] { encoder.convolution_field(v); });
    for_types<TransformerType>(v, [&] {
      options::choice(v, "generation", generation,
                      {.help = "how a decoder produces a translation"});
    });
  }

 private:
  // The options that only these types read.
  template <class... Types, class V, class F>
  void for_types(V& v, F&& visit) {
    options::belongs_to<Types...>(v, "type", &type.selection(), visit);
  }
};

// What the vocabularies fix of a model, and the lengths of its training text.
struct Seq2SeqDims {
  int64_t source_vocab = 0;
  int64_t target_vocab = 0;
  int64_t begin_id = 0;  // the decoder's first input
  int64_t end_id = 0;
  TargetLengths trained_lengths = {};

  template <class V>
  void fields(V& v) {
    v("source-vocab-size", source_vocab, {.help = "source vocabulary", .min = 1});
    v("target-vocab-size", target_vocab, {.help = "target vocabulary", .min = 1});
    v("begin-id", begin_id, {.help = "first input of the decoder", .min = 0});
    v("end-id", end_id, {.help = "end of a sequence", .min = 0});
    trained_lengths.fields(v);
  }
};

// Throws OptionError for options that contradict each other, with the reason.
void check(const Seq2SeqOptions& options);
// The same for options that contradict each other or the sizes.
void check(const Seq2SeqOptions& options, const Seq2SeqDims& dims);

}  // namespace weft::models

#endif  // WEFT_MODELS_SEQ2SEQ_SEQ2SEQ_OPTIONS_H_
