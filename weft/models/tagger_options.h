// The options of a tagger.
#ifndef WEFT_MODELS_TAGGER_OPTIONS_H_
#define WEFT_MODELS_TAGGER_OPTIONS_H_

#include "weft/models/encoders/character_encoder.h"
#include "weft/models/encoders/text_encoder_options.h"
#include "weft/nn/dense.h"
#include "weft/nn/pooling.h"

namespace weft::models {

struct NoCrf {
  static constexpr std::string_view kName = "none";
  static constexpr std::string_view kHelp = "each word's label by itself";
};
struct CrfOfSpans {
  static constexpr std::string_view kName = "spans";
  static constexpr std::string_view kHelp = "over labels that mark spans (B-NP, I-NP, O) alone";
};
struct CrfOfAll {
  static constexpr std::string_view kName = "all";
};

struct TaggerOptions {
  TextEncoderOptions encoder = {};
  CharacterOptions characters = {};
  options::OneOf<NoCrf, CrfOfSpans, CrfOfAll> crf = {};
  nn::PoolingKinds pooling = {};
  nn::HeadOptions head = {};
  double tagger_dropout = 0.1;

  // The begin symbol stands before the text.
  bool with_begin() const { return pools_first() || encoder.embedding.begin_symbol; }
  bool pools_first() const { return pooling.is<nn::FirstRowPoolingOptions>(); }

  template <class V>
  void fields(V& v) {
    options::group(v, "Tagger");
    options::choice(
        v, "crf", crf,
        {.help = "linear-chain conditional random field over the labels of a text's words "
                 "(Lample et al. 2016, arXiv 1603.01360)"});
    v("tagger-dropout", tagger_dropout,
      {.help = "dropout of the states that labels are given by", .min = 0, .max = 0.99});
    options::choice(
        v, "pooling", pooling,
        {.help = "from the encoder's states to one vector of a text, for labels of texts"});
    head.fields(v);
    characters.fields(v);
    encoder.fields(v);
  }

  // Throws OptionError for options that contradict each other, with the reason.
  void check() const;
};

}  // namespace weft::models

#endif  // WEFT_MODELS_TAGGER_OPTIONS_H_
