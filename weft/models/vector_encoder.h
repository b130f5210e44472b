// An encoder of vectors: patches of a picture, frames of a recording, steps of a time series. With
// self-attention over patches it is a Vision Transformer (Dosovitskiy et al. 2021, arXiv
// 2010.11929).
#ifndef WEFT_MODELS_VECTOR_ENCODER_H_
#define WEFT_MODELS_VECTOR_ENCODER_H_

#include "weft/data/batch.h"
#include "weft/models/encoder.h"
#include "weft/nn/convolutional_stem.h"

namespace weft::models {

// What the data fixes of an encoder of vectors.
struct VectorEncoderSizes {
  int64_t width = 0;             // of each vector
  bool has_class_token = false;  // a learned vector stands before those of each example
  bool in_grid = false;          // vectors have places in a picture
  int64_t halvings = 0;          // vectors are pixels; convolutions halve a picture so many times
};

struct VectorEncoder {
  EncoderOptions options;
  VectorEncoderSizes sizes;
  nn::Linear projection;  // [D, width], or of pixels:
  nn::ConvolutionalStem stem;
  nn::Parameter class_token;  // [1, D], where there is one
  nn::Position position;
  nn::Dropout input_dropout;
  nn::Encoder encoder;

  VectorEncoder() = default;
  // Shapes only; nn::bind() gives them memory. `dropouts` numbers the dropouts of the model that it
  // is part of. Throws OptionError where options contradict each other.
  VectorEncoder(const EncoderOptions& options, const VectorEncoderSizes& sizes,
                nn::DropoutSites& dropouts);

  int64_t width() const { return width_of(encoder, options); }  // C, of the states

  // States [N, C], of pixels of each patch, or [N + B, C] with class tokens, which have row 0 and
  // column 0 in a grid. Throws ShapeError for vectors of another width.
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
    ops::RowsPtr rows;
  };
  Input embed(const data::Features& features, const nn::Context& context) const;
  // x [N, D] with a class token before the rows of each example: [N + B, D].
  Tensor with_class_tokens(const Tensor& x, const Segments& segments,
                           const nn::Context& context) const;
};

}  // namespace weft::models

#endif  // WEFT_MODELS_VECTOR_ENCODER_H_
