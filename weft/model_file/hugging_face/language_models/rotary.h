// Rotary positions in config.json: rope_theta and rope_scaling, or both in rope_parameters.
#ifndef WEFT_MODEL_FILE_HUGGING_FACE_LANGUAGE_MODELS_ROTARY_H_
#define WEFT_MODEL_FILE_HUGGING_FACE_LANGUAGE_MODELS_ROTARY_H_

#include "weft/model_file/hugging_face/architecture.h"

namespace weft::model_file {

// Both throw FormatError, naming the field, for a scaling that Weft does not have.
void read_rotary(FolderReader& in);
// Of the object that has them, which may lack the base.
void read_rope(Fields& parameters, const Json& base, ImportedContents& out);
// The fields of models whose layers with a window rotate in a way of their own.
struct TwoBases {
  const char* base;
  double missing_base;
  const char* local_base;
  double missing_local_base;
};
// These fields and rope_scaling, or all of rope_parameters. `has_local`: some layers have a window.
void read_two_rotations(FolderReader& in, const TwoBases& bases, bool has_local);
// Throws OptionError for a scaling that Transformers does not have.
void write_rotary(FolderWriter& out);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_HUGGING_FACE_LANGUAGE_MODELS_ROTARY_H_
