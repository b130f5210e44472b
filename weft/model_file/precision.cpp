#include "weft/model_file/precision.h"

#include "weft/core/error.h"

namespace weft::model_file {

Precision precision_named(std::string_view name) {
  if (name == "auto") return Precision::kStored;
  if (name == "float32") return Precision::kFloat32;
  if (name == "bfloat16") return Precision::kBFloat16;
  if (name == "int8") return Precision::kInt8;
  fail<OptionError>("precision", "expected auto, float32, bfloat16 or int8, got '{}'", name);
}

kernels::PackedType packed_type(Precision precision, kernels::PackedType stored) {
  switch (precision) {
    case Precision::kStored: return stored;
    case Precision::kFloat32: return DType::kF32;
    case Precision::kBFloat16: return DType::kBF16;
    case Precision::kInt8: return DType::kI8;
  }
  return stored;
}

}  // namespace weft::model_file
