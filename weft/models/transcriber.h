// A transcriber or translator of speech: frames of sound, shortened by convolutions, an encoder,
// and a CTC output layer, a decoder that attends to the encoder, or both (Watanabe et al. 2017,
// "Hybrid CTC/attention architecture for end-to-end speech recognition").
#ifndef WEFT_MODELS_TRANSCRIBER_H_
#define WEFT_MODELS_TRANSCRIBER_H_

#include "weft/data/batch.h"
#include "weft/models/token_decoder.h"
#include "weft/models/transcriber_options.h"
#include "weft/ops/losses/cross_entropy.h"

namespace weft::models {

struct TranscriberLoss {
  double smoothing = 0;  // of the decoder's tokens
  double weight = 1;     // of each token, end symbols included
};

struct Transcriber {
  TranscriberOptions options;
  TranscriberDims dims;
  nn::Subsampler subsampler;
  nn::Position position;  // of the rows that the convolutions give
  nn::Dropout input_dropout;
  nn::Encoder encoder;
  TokenDecoder decoder;  // where there is one
  nn::Linear ctc;        // [V, C], where there is one

  Transcriber() = default;
  // Shapes only; nn::bind() gives them memory. Throws OptionError where options contradict each
  // other.
  Transcriber(const TranscriberOptions& options, const TranscriberDims& dims);

  // States [M, C] of frames [N, bins]; M rows are about N / 2^layers. Throws ShapeError for frames
  // of another width.
  nn::Memory encode(const data::Features& frames, const nn::Context& context) const;
  // log p of each token, and of the blank (the end symbol), in each row: [M, V] F32.
  Tensor ctc_log_probabilities(const Tensor& states) const;
  // Of frames, field 0, with their tokens and end symbols, field 1: the decoder's sum of
  // -log p against smoothed targets, and -log p of the tokens over all alignments, by their shares.
  ops::Loss loss(const data::Batch& batch, const TranscriberLoss& params,
                 const nn::Context& context) const;

  template <class V>
  void fields(V& v) {
    v("model.subsampler", subsampler);
    v("model.decoder.embed_tokens.weight", decoder.embedding.table);
    v("model.encoder.embed_positions", position);
    v("model.decoder.embed_positions", decoder.embedding.position);
    v("model.encoder", encoder);
    v("model.decoder", decoder.layers);
    v("final_logits_bias", decoder.output_bias);
    v("ctc", ctc);
  }
};

}  // namespace weft::models

#endif  // WEFT_MODELS_TRANSCRIBER_H_
