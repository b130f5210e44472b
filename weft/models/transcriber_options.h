// The options of transcribers of speech, and the checks that none contradict each other.
#ifndef WEFT_MODELS_TRANSCRIBER_OPTIONS_H_
#define WEFT_MODELS_TRANSCRIBER_OPTIONS_H_

#include "weft/models/decoder_options.h"
#include "weft/models/encoders/encoder.h"
#include "weft/nn/subsampler.h"

namespace weft::models {

// What turns the encoder's states into text.
struct CtcDecoder {
  static constexpr std::string_view kName = "ctc";
  static constexpr std::string_view kHelp =
      "an output layer on the encoder, by connectionist temporal classification (Graves et al. "
      "2006)";
};
struct AttentionDecoder : DecoderLayers {
  static constexpr std::string_view kName = "attention";
  static constexpr std::string_view kHelp =
      "a decoder that attends to the encoder's states, token by token (Chan et al. 2016)";
};
struct JointDecoder : DecoderLayers {
  static constexpr std::string_view kName = "joint";
  static constexpr std::string_view kHelp =
      "both, trained and searched together (Watanabe et al. 2017)";
  double ctc_weight = 0.3;

  template <class V>
  void fields(V& v) {
    DecoderLayers::fields(v);
    v("ctc-weight", ctc_weight,
      {.help = "share of the CTC loss, the rest being that of the decoder; in decoding the share "
               "of its scores",
       .min = 0.001,
       .max = 0.999});
  }
};
using TranscriberDecoders = options::OneOf<JointDecoder, CtcDecoder, AttentionDecoder>;

struct TranscriberOptions {
  TranscriberDecoders decoder = {};
  nn::SubsamplerOptions subsampler = {};
  EncoderOptions encoder = {};

  bool has_ctc() const { return !decoder.is<AttentionDecoder>(); }
  bool has_decoder() const { return !decoder.is<CtcDecoder>(); }
  // The share of the CTC loss.
  double ctc_weight() const;
  // Of the decoder, where there is one; its self-attention is full.
  DecoderOptions decoder_options() const;
  LayerOptions decoder_layers() const;
  // The most frames of an example that the encoder's tables have rows for.
  int64_t frame_capacity() const;

  template <class V>
  void fields(V& v) {
    options::group(v, "Transcriber");
    options::choice(v, "decoder", decoder, {.help = "what turns the encoder's states into text"});
    subsampler.fields(v);
    encoder.fields(v);
  }

  // Throws OptionError for options that contradict each other, with the reason.
  void check() const;
};

// What the data fixes of a model.
struct TranscriberDims {
  int64_t bins = 0;   // numbers of a frame
  int64_t vocab = 0;  // tokens
  int64_t begin_id = 0;
  int64_t end_id = 0;  // also CTC's blank

  template <class V>
  void fields(V& v) {
    v("mel-bin-count", bins, {.help = "numbers of a frame", .min = 1, .max = 65536});
    v("vocab-size", vocab, {.help = "tokens", .min = 1});
    v("begin-id", begin_id, {.help = "first input of the decoder", .min = 0});
    v("end-id", end_id, {.help = "end of a text, and the blank of CTC", .min = 0});
  }
  // Throws OptionError for an id that is not in the vocabulary.
  void check() const;
};

}  // namespace weft::models

#endif  // WEFT_MODELS_TRANSCRIBER_OPTIONS_H_
