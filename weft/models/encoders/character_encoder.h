// A vector for each word from its characters, added to the word's embedding: what is known of words
// that training never saw.
#ifndef WEFT_MODELS_ENCODERS_CHARACTER_ENCODER_H_
#define WEFT_MODELS_ENCODERS_CHARACTER_ENCODER_H_

#include <variant>
#include <vector>

#include "weft/data/batch.h"
#include "weft/models/parts.h"

namespace weft::models {

// What the options of a kind are made with.
struct CharacterDims {
  int64_t features = 0;  // Dc, of a character
  double dropout = 0;
  nn::RngStreams& dropouts;  // of the model
};

// A module of a kind is module(x, words, context), x [M, Dc] the characters, y [W, width()] their
// words.

struct NoCharacterModule {
  int64_t width() const { return 0; }
  Tensor operator()(const Tensor&, const ops::LayoutPtr&, const nn::Context&) const { return {}; }
  template <class V>
  void fields(V&) {}
};

// y = relu(max over a word's characters of W w + b), w the window around each character (Ma and
// Hovy 2016, arXiv 1603.01354; with several widths, Kim et al. 2016, arXiv 1508.06615).
struct CharacterCnn {
  std::vector<nn::Linear> convolutions;  // [filters, width*Dc] for each width
  std::vector<int64_t> widths;

  int64_t width() const;
  Tensor operator()(const Tensor& x, const ops::LayoutPtr& words, const nn::Context& context) const;
  template <class V>
  void fields(V& v) {
    v("convolutions", convolutions);
  }
};

// y = mean over a word's characters of a pre-norm Transformer's states.
struct CharacterTransformer {
  nn::Stack stack;
  int64_t features = 0;

  int64_t width() const { return features; }
  Tensor operator()(const Tensor& x, const ops::LayoutPtr& words, const nn::Context& context) const;
  template <class V>
  void fields(V& v) {
    stack.fields(v);
  }
};

// The options of each kind; make(sizes) is the module.

struct NoCharacters {
  static constexpr std::string_view kName = "none";
  NoCharacterModule make(const CharacterDims&) const { return {}; }
};

struct CharacterCnnOptions {
  static constexpr std::string_view kName = "cnn";
  static constexpr std::string_view kHelp =
      "convolutions and the largest of each feature (Ma and Hovy 2016, arXiv 1603.01354)";
  std::vector<int64_t> widths = {3};
  int64_t filters = 50;

  nn::PositionKinds position() const { return nn::NoPositionOptions{}; }
  // Throws OptionError; `features` is Dc.
  void check(int64_t features) const;
  CharacterCnn make(const CharacterDims& dims) const;
  template <class V>
  void fields(V& v) {
    v("char-widths", widths,
      {.help = "characters that a convolution sees, odd; several: one of each width beside the "
               "other",
       .min = 1,
       .max = 101});
    v("char-filters", filters, {.help = "features of each width", .min = 1, .max = 65536});
  }
};

struct CharacterTransformerOptions {
  static constexpr std::string_view kName = "transformer";
  static constexpr std::string_view kHelp = "self-attention, and the mean of the characters";
  int64_t depth = 1;
  int64_t heads = 2;
  int64_t inner = 64;  // F

  nn::PositionKinds position() const { return nn::SinusoidalPositionOptions{}; }
  // Throws OptionError; `features` is Dc.
  void check(int64_t features) const;
  CharacterTransformer make(const CharacterDims& dims) const;
  template <class V>
  void fields(V& v) {
    v("char-depth", depth, {.help = "layers over characters", .min = 1, .max = 100});
    v("char-heads", heads, {.help = "attention heads over characters", .min = 1, .max = 1024});
    v("char-dim-ffn", inner,
      {.help = "inner size of their feed-forward network", .min = 1, .max = 65536});
  }
};

using CharacterKinds =
    options::OneOf<NoCharacters, CharacterCnnOptions, CharacterTransformerOptions>;

struct CharacterOptions {
  CharacterKinds kind = {};
  int64_t features = 30;  // Dc
  int64_t max_length = 32;
  double dropout = 0.1;

  bool is_on() const { return !kind.is<NoCharacters>(); }

  template <class V>
  void fields(V& v) {
    options::choice(v, "char-encoder", kind,
                    {.help = "encoder of each word's characters, added to the word's embedding"});
    for_any(v, [&] {
      v("dim-char", features, {.help = "size of a character's embedding", .min = 2, .max = 65536});
      v("max-word-length", max_length,
        {.help = "characters of a word that are read, the first ones", .min = 1, .max = 65536});
      v("dropout-char", dropout,
        {.help = "dropout of characters, and of what is added to words", .min = 0, .max = 0.99});
    });
  }
  // The options that every kind but none reads.
  template <class V, class F>
  void for_any(V& v, F&& visit) {
    options::belongs_to<CharacterCnnOptions, CharacterTransformerOptions>(v, "char-encoder",
                                                                          &kind.selection(), visit);
  }
  // Throws OptionError for options that contradict each other.
  void check() const;
};

// The characters of the words of a batch.
struct CharacterInput {
  ops::Ids ids;                 // [M]
  ops::LayoutPtr characters;    // M rows, a word in place of each sequence: rows_of_words()
  const ops::LayoutPtr& words;  // W rows in their sequences
};

struct CharacterEncoder {
  CharacterOptions options;
  nn::Parameter table;  // [Vc, Dc]
  nn::Position position;
  options::VariantMadeFrom<CharacterKinds, CharacterDims> kind;
  nn::Linear out_proj;  // [D, width]
  nn::Dropout input_dropout, output_dropout;

  CharacterEncoder() = default;
  // For a vocabulary of this many characters and words of D features; nothing where the options say
  // none.
  CharacterEncoder(const CharacterOptions& options, int64_t characters, int64_t features,
                   nn::RngStreams& dropouts);

  bool is_on() const { return options.is_on(); }
  // Vectors [W, D]. Throws ShapeError where there are characters of another number of words.
  Tensor operator()(const CharacterInput& in, const nn::Context& context) const;
  template <class V>
  void fields(V& v) {
    if (!is_on()) return;
    v("embed_tokens.weight", table);
    std::visit([&](auto& k) { k.fields(v); }, kind);
    v("out_proj", out_proj);
  }
};

// Rows of characters as the words they make: a word ends with the symbol `end_id`. Throws
// ShapeError if the last word of an example has no end.
ops::LayoutPtr rows_of_words(const data::Tokens& characters, int32_t end_id);

}  // namespace weft::models

#endif  // WEFT_MODELS_ENCODERS_CHARACTER_ENCODER_H_
