// An encoder of vectors: patches of a picture, frames of a recording, steps of a time series. With
// self-attention over patches it is a Vision Transformer (Dosovitskiy et al. 2021, arXiv
// 2010.11929).
#ifndef WEFT_MODELS_ENCODERS_VECTOR_ENCODER_H_
#define WEFT_MODELS_ENCODERS_VECTOR_ENCODER_H_

#include "weft/data/batch.h"
#include "weft/data/images/image_shape.h"
#include "weft/models/encoders/encoder.h"
#include "weft/nn/convolution_stem.h"

namespace weft::models {

// What the data fixes of an encoder of vectors.
struct VectorEncoderDims {
  int64_t width = 0;             // of each vector
  bool has_class_token = false;  // a learned vector stands before those of each example
  EncoderUse use = {};
  int64_t stem_patch = 0;  // vectors are squares of pixels that convolutions bring to patches
                           // of this size; 0: no convolutions
};

// Throws OptionError for pictures of other than 1 or 3 channels, for those that patches do not
// divide, and where these and `more` rows are more than the encoder's tables have.
void check_patches(const data::ImageShape& image, int64_t patch, const EncoderOptions& encoder,
                   int64_t more);

// The layout of the vectors, with their places in a picture.
ops::LayoutPtr rows_of(const data::Features& features);

struct VectorEncoder {
  EncoderOptions options;
  VectorEncoderDims dims;
  nn::Linear projection;  // [D, width], or of squares:
  nn::ConvolutionStem stem;
  nn::Parameter class_token;  // [1, D], where there is one
  nn::Position position;
  nn::Dropout input_dropout;
  nn::Encoder encoder;

  VectorEncoder() = default;
  // Shapes only; nn::bind() gives them memory. `dropouts` numbers the dropouts of the model that it
  // is part of. Throws OptionError where options contradict each other.
  VectorEncoder(const EncoderOptions& options, const VectorEncoderDims& dims,
                nn::RngStreams& dropouts);

  int64_t width() const { return width_of(encoder, options); }  // C, of the states

  // States [N, C], of squares those of patches, or [N + B, C] with class tokens, which have row 0
  // and column 0 in a grid. Throws ShapeError for vectors of another width.
  nn::Memory operator()(const data::Features& features, const nn::Context& context) const;

  template <class V>
  void fields(V& v) {
    v("model.encoder.embed_vectors", projection);
    v("model.encoder.stem", stem);
    v("model.encoder.class_token", class_token);
    v("model.encoder.embed_positions", position);
    v("model.encoder", encoder);
  }

 private:
  struct Input {
    Tensor x;  // [N, D]
    ops::LayoutPtr rows;
  };
  Input embed(const data::Features& features, const nn::Context& context) const;
  // x [N, D] with a class token before the rows of each example: [N + B, D].
  Tensor with_class_tokens(const Tensor& x, const Segments& segments,
                           const nn::Context& context) const;
};

}  // namespace weft::models

#endif  // WEFT_MODELS_ENCODERS_VECTOR_ENCODER_H_
