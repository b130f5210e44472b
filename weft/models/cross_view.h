// Models of two views of a scene: completion of one by the other (CroCo, Weinzaepfel et al. 2022,
// arXiv 2210.10716, and 2023, arXiv 2211.10408) and regression of how they differ.
#ifndef WEFT_MODELS_CROSS_VIEW_H_
#define WEFT_MODELS_CROSS_VIEW_H_

#include "weft/models/cross_view_options.h"
#include "weft/models/encoders/vector_encoder.h"
#include "weft/nn/transformer/two_streams.h"
#include "weft/ops/losses/cross_entropy.h"

namespace weft::models {

// B pairs, each view with the same P patches.
struct ViewBatch {
  data::Features first;        // [B*P, width] with their grid
  data::Features second;       // the same; without rows where a model does not see second views
  data::Labels masked;         // ids: the masked patches of each first view, ascending
  std::vector<float> numbers;  // [B, K] what --objective motion predicts, normalised
};

// A vision Transformer reads the visible patches of the first view and all of the second, each
// view alone. The decoder reads its states, with a learned vector in place of each masked patch.
struct CrossViewModel {
  CrossViewOptions options;
  CrossViewDims dims;
  VectorEncoder encoder;
  nn::Linear decoder_embed;  // [C, D]
  nn::Parameter mask_token;  // [1, C], of completion
  nn::Position position;     // of the decoder
  nn::Dropout first_dropout, second_dropout;
  nn::TwoStreams decoder;      // of one stream the first stack
  nn::Linear completion_head;  // [width, C], of completion
  nn::Linear motion_head;      // [K, C], or [K, 2*C] of two streams; of motion

  CrossViewModel() = default;
  // Shapes only; nn::bind() gives them memory. Throws OptionError where options contradict each
  // other.
  CrossViewModel(const CrossViewOptions& options, const CrossViewDims& dims);

  // The pixels of the masked patches, [masked, width], of an --objective completion.
  Tensor completion(const ViewBatch& views, const nn::Context& context) const;
  // What they should be: the patches, normalised each where the options say so.
  Tensor completion_target(const ViewBatch& views) const;
  // The numbers of pairs, [B, K], normalised, of an --objective motion. No patch is masked.
  Tensor motion(const ViewBatch& views, const nn::Context& context) const;
  // Of completion weight * the sum over masked patches of their mean squared error; of motion
  // weight * the sum over pairs of their mean absolute error.
  ops::Loss loss(const ViewBatch& views, double weight, const nn::Context& context) const;

  // What both objectives have in common begins with "model.".
  template <class V>
  void fields(V& v) {
    encoder.fields(v);
    v("model.decoder_embed", decoder_embed);
    v("model.decoder", decoder.first);
    v("model.second_decoder", decoder.second);
    v("completion.mask_token", mask_token);
    v("completion.head", completion_head);
    v("motion.head", motion_head);
  }

 private:
  struct DecoderInputs {
    nn::Memory first, second;
  };
  DecoderInputs encode(const ViewBatch& views, const nn::Context& context) const;
  // The decoder's states of both views; of one stream the second is the decoder's input.
  DecoderInputs decode(const ViewBatch& views, const nn::Context& context) const;
};

// The mean and the deviation of a patch's values, by which --normalise-patches normalises it: the
// deviation is the root of the variance plus 1e-6, as in masked autoencoders (He et al. 2022, arXiv
// 2111.06377).
struct PatchMoments {
  double mean = 0, deviation = 1;
};
PatchMoments moments_of(std::span<const float> patch);

}  // namespace weft::models

#endif  // WEFT_MODELS_CROSS_VIEW_H_
