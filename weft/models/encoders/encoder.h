// The network between an input's embeddings and an output layer: its options, the checks that they
// do not contradict each other, and how it is made.
#ifndef WEFT_MODELS_ENCODERS_ENCODER_H_
#define WEFT_MODELS_ENCODERS_ENCODER_H_

#include "weft/models/parts.h"
#include "weft/nn/encoder.h"
#include "weft/nn/recurrent/options.h"

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

// The options of an encoder's layers, whatever their type.
struct EncoderLayers : LayerOptions {
  int64_t enc_depth = 2;
  nn::RecurrentOptions recurrent = {};
  int64_t cnn_width = 3;

  template <class V>
  void size_fields(V& v) {
    depth_field(v, enc_depth);
    width_field(v);
  }
  template <class V>
  static void depth_field(V& v, int64_t& depth) {
    v("enc-depth", depth, {.help = "encoder layers", .min = 1, .max = 1000});
  }
  template <class V>
  void convolution_field(V& v) {
    v("cnn-width", cnn_width,
      {.help = "rows that a convolution of the encoder sees, odd", .min = 1, .max = 101});
  }
};

struct EncoderOptions : EncoderLayers {
  options::OneOf<TransformerType, RnnEncoderType, CnnEncoderType> type = {};

  bool is_transformer() const { return type.is<TransformerType>(); }
  // Recurrent cells read rows in their order.
  bool has_positions() const { return !type.is<RnnEncoderType>(); }
  bool is_bidirectional() const { return !recurrent.direction.is<nn::Unidirectional>(); }
  double input_dropout() const {
    return is_transformer() ? transformer.dropout : recurrent.dropout;
  }

  template <class V>
  void fields(V& v) {
    options::group(v, "Encoder");
    options::choice(v, "type", type,
                    {.help = "network between the embeddings and the output layer"});
    size_fields(v);
    for_types<TransformerType>(v, [&] { transformer.fields(v); });
    for_types<TransformerType, CnnEncoderType>(v, [&] { position.fields(v); });
    for_types<RnnEncoderType>(v, [&] {
      recurrent.cell_fields(v);
      recurrent.direction_fields(v);
    });
    for_types<RnnEncoderType, CnnEncoderType>(v, [&] { recurrent.dropout_fields(v); });
    for_types<CnnEncoderType>(v, [&] { convolution_field(v); });
  }

  // Throws OptionError for options that contradict each other, with the reason.
  void check() const;
  // The most rows of an example that learned tables, of positions or in attention, have rows for; a
  // very large number without tables.
  int64_t table_capacity() const;

 private:
  // The options that only these types read.
  template <class... Types, class V, class F>
  void for_types(V& v, F&& visit) {
    options::belongs_to<Types...>(v, "type", &type.selection(), visit);
  }
};

// What of the model around it an encoder depends on.
struct EncoderUse {
  bool in_grid = false;       // rows have places in a picture: convolutions are two-dimensional
  int64_t decoder_depth = 0;  // of the decoder that attends to its states, for DeepNorm; 0: none
};

// Shapes only. `dropouts` numbers the dropouts of the model that it is part of.
nn::Encoder make_encoder(const EncoderOptions& options, nn::RngStreams& dropouts,
                         const EncoderUse& use = {});
// The positions of its input.
nn::Position make_position(const EncoderOptions& options);

// Features of the states: --dim-emb, or twice as many of a bidirectional layer.
int64_t width_of(const nn::Encoder& encoder, const EncoderOptions& options);

// A recurrent decoder that starts from the states of such an encoder, without attention to them.
nn::RecurrentDecoderOptions recurrent_decoder(const EncoderOptions& options,
                                              const nn::Encoder& encoder, int64_t depth);

}  // namespace weft::models

#endif  // WEFT_MODELS_ENCODERS_ENCODER_H_
