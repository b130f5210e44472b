// The options of an encoder of text without a decoder, and what of them contradicts what.
#ifndef WEFT_MODELS_TEXT_ENCODER_OPTIONS_H_
#define WEFT_MODELS_TEXT_ENCODER_OPTIONS_H_

#include "weft/models/parts.h"

namespace weft::models {

struct RnnEncoderType {
  static constexpr std::string_view kName = "rnn";
  static constexpr std::string_view kHelp = "recurrent cells (Graves and Schmidhuber 2005)";
};
struct CnnEncoderType {
  static constexpr std::string_view kName = "cnn";
  static constexpr std::string_view kHelp =
      "gated convolutions (Gehring et al. 2017, arXiv 1611.02344)";
};

struct TextEncoderOptions {
  OneOf<TransformerType, RnnEncoderType, CnnEncoderType> type = {};
  int64_t enc_depth = 2;
  int64_t dim_emb = 256;
  nn::TransformerOptions transformer = {};
  nn::PositionOptions position = {};
  nn::RecurrentOptions recurrent = {};
  int64_t cnn_width = 3;
  double word_dropout = 0;

  bool is_transformer() const { return type.is<TransformerType>(); }
  LayerParts layers() const { return {transformer, position, dim_emb}; }
  // Recurrent cells read tokens in their order.
  bool has_positions() const { return !type.is<RnnEncoderType>(); }
  bool is_bidirectional() const { return !recurrent.direction.is<nn::Unidirectional>(); }
  double input_dropout() const {
    return is_transformer() ? transformer.dropout : recurrent.dropout;
  }

  template <class V>
  void fields(V& v) {
    group(v, "Encoder");
    choice(v, "type", type, {.help = "network between the embeddings and the output layer"});
    v("enc-depth", enc_depth, {.help = "encoder layers", .min = 1, .max = 1000});
    v("dim-emb", dim_emb, {.help = "size of embeddings and layers, D", .min = 2, .max = 65536});
    for_types<TransformerType>(v, [&] { transformer.fields(v); });
    for_types<TransformerType, CnnEncoderType>(v, [&] { position.fields(v); });
    for_types<RnnEncoderType>(v, [&] {
      recurrent.cell_fields(v);
      recurrent.direction_fields(v);
    });
    for_types<RnnEncoderType, CnnEncoderType>(v, [&] { recurrent.dropout_fields(v); });
    for_types<CnnEncoderType>(v, [&] {
      v("cnn-width", cnn_width,
        {.help = "tokens that a convolution sees, odd", .min = 1, .max = 101});
    });
    v("word-dropout", word_dropout,
      {.help = "probability, in training, that a token is replaced by the unknown symbol, whose "
               "embedding is thus learned where the vocabulary has all of the training text (Iyyer "
               "et al. 2015)",
       .min = 0,
       .max = 0.99});
  }

  // Throws OptionError for options that contradict each other, with the reason.
  void check() const;
  // The most tokens, special symbols included, that learned tables, of positions or in attention,
  // have rows for; a very large number without tables.
  int64_t table_capacity() const;

 private:
  // The options that only these types read.
  template <class... Types, class V, class F>
  void for_types(V& v, F&& visit) {
    belongs_to<Types...>(v, "type", &type.selection(), visit);
  }
};

// What the vocabulary fixes of an encoder.
struct TextEncoderSizes {
  int64_t vocab = 0;
  int64_t unknown_id = 0, begin_id = 0, end_id = 0;

  template <class V>
  void fields(V& v) {
    v("vocab-size", vocab, {.help = "vocabulary", .min = 1});
    v("unknown-id", unknown_id, {.help = "of the unknown symbol", .min = 0});
    v("begin-id", begin_id, {.help = "of the begin symbol", .min = 0});
    v("end-id", end_id, {.help = "of the end symbol", .min = 0});
  }
  // Throws OptionError for an id that is not in the vocabulary.
  void check() const;
};

}  // namespace weft::models

#endif  // WEFT_MODELS_TEXT_ENCODER_OPTIONS_H_
