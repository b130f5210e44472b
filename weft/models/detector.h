// A detector of objects in pictures: an encoder of patches, and a decoder that is not causal, whose
// queries become the boxes of a picture, all at once (DETR, Carion et al. 2020, arXiv 2005.12872).
#ifndef WEFT_MODELS_DETECTOR_H_
#define WEFT_MODELS_DETECTOR_H_

#include "weft/models/detector_options.h"
#include "weft/models/encoders/vector_encoder.h"
#include "weft/models/set_loss.h"

namespace weft::models {

// A network of three layers to the logits of a box.
struct BoxHead {
  std::vector<nn::Linear> layers;  // D to D, D to D, D to 4

  BoxHead() = default;
  explicit BoxHead(int64_t features);
  // reference + f(x), in F32 or wider, as the reference [N, 4] is, or f(x) without one; x [N, D].
  Tensor operator()(const Tensor& x, const Tensor& reference, autograd::Tape* tape) const;

  template <class V>
  void fields(V& v) {
    v("layers", layers);
  }
};

struct Detector {
  DetectorOptions options;
  DetectorDims dims;
  VectorEncoder encoder;
  nn::Parameter queries;        // [Q, D], learned
  nn::Linear encoder_labels;    // [C + 1, D], of patches, where queries are the encoder's
  BoxHead encoder_boxes;        // likewise
  nn::Linear query_projection;  // [D, D], likewise
  nn::Stack decoder;
  nn::Linear labels;  // [C + 1, D]
  BoxHead boxes;

  Detector() = default;
  // Shapes only; nn::bind() gives them memory. Throws OptionError where options contradict each
  // other.
  Detector(const DetectorOptions& options, const DetectorDims& dims);

  // Predictions for B pictures, given as squares of options.image.vector_side() pixels. A picture
  // has min(Q, patches) queries with --queries encoder, else Q.
  BoxPredictions operator()(const data::Features& squares, const nn::Context& context) const;
  // The same after each layer of the decoder, which share an output; before them, with --queries
  // encoder, those of all patches.
  std::vector<BoxPredictions> hidden_states(const data::Features& squares,
                                            const nn::Context& context) const;
  // The sum of set_loss() over hidden_states(), of pictures, field 0, with their labels and boxes,
  // fields 1 and 2.
  ops::Loss loss(const data::Batch& batch, const SetLossParams& params, double weight,
                 const nn::Context& context) const;

  template <class V>
  void fields(V& v) {
    encoder.fields(v);
    v("model.query_position_embeddings.weight", queries);
    v("model.encoder_class_labels_classifier", encoder_labels);
    v("model.encoder_bbox_predictor", encoder_boxes);
    v("model.query_projection", query_projection);
    v("model.decoder", decoder);
    v("class_labels_classifier", labels);
    v("bbox_predictor", boxes);
  }

 private:
  // What the decoder reads.
  struct Start {
    nn::Memory memory;
    Tensor x;                               // [N, D]
    ops::LayoutPtr rows;                    // N queries
    Tensor reference;                       // [N, 4] logits of a first box, or empty
    std::optional<BoxPredictions> patches;  // of all patches
  };
  Start start(const data::Features& squares, const nn::Context& context) const;
  void start_from_encoder(Start& start, const nn::Context& context) const;
  void start_from_learned(Start& start, const nn::Context& context) const;
  BoxPredictions predictions(const Tensor& states, const Start& start,
                             const nn::Context& context) const;
};

}  // namespace weft::models

#endif  // WEFT_MODELS_DETECTOR_H_
