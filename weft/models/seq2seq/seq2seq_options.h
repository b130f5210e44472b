// The options of encoder-decoders, and what of them contradicts what.
#ifndef WEFT_MODELS_SEQ2SEQ_SEQ2SEQ_OPTIONS_H_
#define WEFT_MODELS_SEQ2SEQ_SEQ2SEQ_OPTIONS_H_

#include "weft/models/parts.h"
#include "weft/models/seq2seq/generation_options.h"
#include "weft/options/fields.h"

namespace weft::models {

struct EncoderOptions;

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
inline constexpr std::string_view kOptionOrder[] = {"transformer-heads",
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

struct Seq2SeqOptions {
  options::OneOf<TransformerType, RnnType, RnnAttentionType, CnnType> type = {};
  int64_t enc_depth = 6;
  int64_t dec_depth = 6;
  int64_t dim_emb = 512;
  bool output_bias = true;
  bool tied_embeddings = false;
  bool tied_embeddings_all = false;
  nn::TransformerOptions transformer = {};
  nn::EncoderDecoderAttentionOptions encoder_decoder = {};
  nn::PositionOptions position = {};
  nn::RecurrentOptions recurrent = {};
  nn::RecurrentAttentionOptions recurrent_attention = {};
  int64_t cnn_width = 3;
  GenerationKinds generation = {};

  bool is_transformer() const { return type.is<TransformerType>(); }
  bool has_decoder() const { return dec_depth > 0; }
  bool is_left_to_right() const { return generation.is<LeftToRight>(); }
  bool is_mask_predict() const { return generation.is<MaskPredict>(); }
  bool is_ctc() const { return generation.is<Ctc>(); }
  // Null where no classifier on the encoder's states predicts the length of a target.
  const LengthClassifier* length_classifier() const;
  bool predicts_length() const { return length_classifier() != nullptr; }
  LayerParts layers() const { return {transformer, position, dim_emb}; }
  // Whether a side's inputs have positions; recurrent cells read tokens in their order.
  bool has_positions(Side side) const {
    return is_transformer() || (type.is<CnnType>() && side == Side::kEncoder);
  }
  double input_dropout() const {
    return is_transformer() ? transformer.dropout : recurrent.dropout;
  }

  template <class V>
  void fields(V& v) {
    options::group(v, "Model");
    options::choice(v, "type", type,
                    {.help = "network between the embeddings and the output layer"});
    v("enc-depth", enc_depth, {.help = "encoder layers", .min = 1, .max = 1000});
    v("dec-depth", dec_depth, {.help = "decoder layers", .min = 1, .max = 1000});
    v("dim-emb", dim_emb, {.help = "size of embeddings and layers, D", .min = 2, .max = 65536});
    for_types<TransformerType>(v, [&] {
      transformer.fields(v);
      encoder_decoder.fields(v);
    });
    for_types<TransformerType, CnnType>(v, [&] { position.fields(v); });
    v("output-bias", output_bias, {.help = "bias of the output layer"});
    v("tied-embeddings", tied_embeddings, {.help = "one matrix for target embedding and output"});
    v("tied-embeddings-all", tied_embeddings_all,
      {.help = "one matrix for both embeddings and output; needs one vocabulary"});
    options::arrange(v, kOptionOrder);
    for_types<RnnType, RnnAttentionType, CnnType>(v, [&] { recurrent.cell_fields(v); });
    for_types<RnnAttentionType, CnnType>(v, [&] { recurrent_attention.fields(v); });
    for_types<RnnType, RnnAttentionType>(v, [&] { recurrent.direction_fields(v); });
    for_types<RnnType, RnnAttentionType, CnnType>(v, [&] { recurrent.dropout_fields(v); });
    for_types<CnnType>(v, [&] {
      v("cnn-width", cnn_width,
        {.help = "tokens that a convolution of the encoder sees, odd", .min = 1, .max = 101});
    });
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

// A model with such an encoder and decoder layers of the same sizes.
Seq2SeqOptions with_decoder(const EncoderOptions& encoder, int64_t dec_depth);

// The kind of self-attention of a side.
const nn::AttentionKinds& self_attention_of(const Seq2SeqOptions& options, Side side);

// Of the pairs of the training text, end symbols included; 0: not known.
struct TargetLengths {
  double ratio = 0;     // the largest of target to source tokens
  int64_t longest = 0;  // target

  template <class V>
  void fields(V& v) {
    v("target-length-ratio", ratio, {.help = "largest of target to source tokens", .min = 0});
    v("longest-target", longest, {.help = "tokens of the longest target", .min = 0});
  }
};

// What the vocabularies fix of a model, and the lengths of its training text.
struct Seq2SeqSizes {
  int64_t source_vocab = 0;  // 0: the encoder reads vectors
  int64_t target_vocab = 0;
  int64_t begin_id = 0;  // the decoder's first input
  int64_t end_id = 0;
  TargetLengths trained_lengths = {};

  template <class V>
  void fields(V& v) {
    v("source-vocab-size", source_vocab, {.help = "source vocabulary", .min = 1});
    v("target-vocab-size", target_vocab, {.help = "target vocabulary", .min = 1});
    v("begin-id", begin_id, {.help = "first input of the decoder", .min = 0});
    v("end-id", end_id, {.help = "end of a sentence", .min = 0});
    trained_lengths.fields(v);
  }
};

// Throws OptionError for options that contradict each other, with the reason.
void check(const Seq2SeqOptions& options);
// The same for options that contradict each other or the sizes.
void check(const Seq2SeqOptions& options, const Seq2SeqSizes& sizes);

}  // namespace weft::models

#endif  // WEFT_MODELS_SEQ2SEQ_SEQ2SEQ_OPTIONS_H_
