// The options of recurrent encoders and decoders.
#ifndef WEFT_NN_RECURRENT_OPTIONS_H_
#define WEFT_NN_RECURRENT_OPTIONS_H_

#include "weft/nn/recurrent/decoder.h"
#include "weft/nn/recurrent/encoder.h"
#include "weft/options/fields.h"

namespace weft::nn {

struct TanhCell {
  static constexpr std::string_view kName = "tanh";
  static constexpr std::string_view kHelp = "Elman 1990";
  static constexpr auto kCell = ops::CellKind::kTanh;
};
struct ReluCell {
  static constexpr std::string_view kName = "relu";
  static constexpr std::string_view kHelp = "the same with ReLU";
  static constexpr auto kCell = ops::CellKind::kRelu;
};
struct GruCell {
  static constexpr std::string_view kName = "gru";
  static constexpr std::string_view kHelp = "Cho et al. 2014";
  static constexpr auto kCell = ops::CellKind::kGru;
};
struct LstmCell {
  static constexpr std::string_view kName = "lstm";
  static constexpr std::string_view kHelp = "Hochreiter and Schmidhuber 1997";
  static constexpr auto kCell = ops::CellKind::kLstm;
};

struct BahdanauOptions {
  static constexpr std::string_view kName = "bahdanau";
  static constexpr std::string_view kHelp =
      "scores by a hidden layer; the context is an input of the decoder's first cell (Bahdanau et "
      "al. 2015)";
  static constexpr auto kAttention = SourceAttention::kBahdanau;
};
struct LuongOptions {
  static constexpr std::string_view kName = "luong";
  static constexpr std::string_view kHelp =
      "products with the decoder's output (Luong et al. 2015, 'general')";
  static constexpr auto kAttention = SourceAttention::kLuong;

  bool feeds_input = false;

  template <class V>
  void fields(V& v) {
    v("rnn-input-feeding", feeds_input,
      {.help = "luong: what was read of output and context is input of the next step (Luong et al. "
               "2015, section 3.3); slower, as steps then attend one by one"});
  }
};

// How the first layer of an encoder reads; the others read forwards.
struct AutomaticDirection {
  static constexpr std::string_view kName = "auto";
  static constexpr std::string_view kHelp = "both, but in a translator of --type rnn";
};
struct Unidirectional {
  static constexpr std::string_view kName = "unidirectional";
};
struct Bidirectional {
  static constexpr std::string_view kName = "bidirectional";
};

// Each type of model chooses which of these it has.
struct RecurrentOptions {
  options::OneOf<TanhCell, ReluCell, GruCell, LstmCell> cell = LstmCell{};
  options::OneOf<AutomaticDirection, Unidirectional, Bidirectional> direction = {};
  double dropout = 0.1;

  ops::CellKind cell_kind() const {
    return cell.visit([](const auto& kind) { return kind.kCell; });
  }
  template <class V>
  void cell_fields(V& v) {
    options::choice(v, "rnn-cell", cell, {.help = "recurrent cell"});
  }
  template <class V>
  void direction_fields(V& v) {
    options::choice(
        v, "enc-type", direction,
        {.help = "how the first recurrent layer of the encoder reads: in one direction or in "
                 "both; the others read forwards"});
  }
  template <class V>
  void dropout_fields(V& v) {
    v("dropout-rnn", dropout,
      {.help = "dropout of embeddings, between recurrent or convolutional layers and of the "
               "decoder's output (Zaremba et al. 2014)",
       .min = 0,
       .max = 0.99});
  }
};

struct RecurrentAttentionOptions {
  options::OneOf<BahdanauOptions, LuongOptions> kind = {};

  SourceAttention source_attention() const {
    return kind.visit([](const auto& k) { return k.kAttention; });
  }
  bool feeds_input() const {
    const auto* luong = kind.get_if<LuongOptions>();
    return luong != nullptr && luong->feeds_input;
  }
  template <class V>
  void fields(V& v) {
    options::choice(v, "rnn-attention", kind, {.help = "attention of a recurrent decoder"});
  }
};

}  // namespace weft::nn

#endif  // WEFT_NN_RECURRENT_OPTIONS_H_
