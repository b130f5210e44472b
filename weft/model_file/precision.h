// The precision of the matrices of a model that predicts.
#ifndef WEFT_MODEL_FILE_PRECISION_H_
#define WEFT_MODEL_FILE_PRECISION_H_

#include <string_view>

#include "weft/kernels/packed.h"

namespace weft::model_file {

// What matrices are packed in.
enum class Precision {
  kStored,  // as in the file
  kFloat32,
  kBFloat16,
  kInt8,  // with one scale per matrix row
};
// "auto", "float32", "bfloat16" or "int8"; throws OptionError for another name.
Precision precision_named(std::string_view name);

// The type in which a matrix is packed that the file has in `stored`.
kernels::PackedType packed_type(Precision precision, kernels::PackedType stored);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_PRECISION_H_
