// Encoders of text out of models in any format that is read, to start a training from.
#ifndef WEFT_MODEL_FILE_ANY_ENCODER_H_
#define WEFT_MODEL_FILE_ANY_ENCODER_H_

#include <string>

#include "weft/data/text/tokeniser.h"
#include "weft/model_file/any_model.h"
#include "weft/model_file/classifier.h"
#include "weft/model_file/embedder.h"
#include "weft/model_file/masked_lm.h"
#include "weft/model_file/tagger.h"
#include "weft/models/encoders/text_encoder.h"

namespace weft::model_file {

struct PretrainedEncoder {
  std::string path;
  models::TextEncoder encoder;   // with weights in F32
  Tensor parameters;             // the memory of these weights
  data::TokeniserPtr tokeniser;  // of as many tokens as the encoder's table has rows, or fewer

  // Copies the weights into an encoder with the same options, for the same tokeniser. Rows of the
  // table without a token are left out; rows of the other encoder's table that this one lacks keep
  // their values. Throws ShapeError if the encoders differ.
  void copy_to(models::TextEncoder& to) const;
};

// The encoder of an embedder, a classifier of text, a tagger or a masked language model in a model
// file or a folder of Transformers. Throws what load() and HuggingFaceModel throw, OptionError,
// naming `path`, for another model, and NumericError for weights that are not finite.
PretrainedEncoder load_encoder(const std::string& path);

// The whole model in a model file or a folder of Transformers, with weights in F32. Throws the
// same.
ClassifierSession load_any_classifier(const std::string& path);
TaggerSession load_any_tagger(const std::string& path);
MaskedLmSession load_any_masked_lm(const std::string& path);
// From a masked language model it makes an embedder whose vector is the mean of the encoder's
// states, scaled to length one.
EmbedderSession load_any_embedder(const std::string& path);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_ANY_ENCODER_H_
