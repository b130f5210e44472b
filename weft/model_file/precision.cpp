#include "weft/model_file/precision.h"

#include "weft/core/error.h"

namespace weft::model_file {

using kernels::BlockType;

Precision precision_named(std::string_view name) {
  if (name == "auto") return Precision::kStored;
  if (name == "float32") return Precision::kFloat32;
  if (name == "bfloat16") return Precision::kBFloat16;
  if (name == "int8") return Precision::kInt8;
  if (name == "int4") return Precision::kInt4;
  fail<OptionError>("precision", "expected auto, float32, bfloat16, int8 or int4, got '{}'", name);
}

void fail_without_int4(std::string_view kind) {
  fail<OptionError>("--precision",
                    "a model of type '{}' has no int4; expected int8, bfloat16 or float32", kind);
}

kernels::PackedType Rounding::type(const nn::Parameter& matrix, kernels::PackedType stored) const {
  const bool is_of_tokens = matrix.vocabulary != nn::Vocabulary::kNone;
  switch (precision) {
    case Precision::kStored: return stored;
    case Precision::kFloat32: return DType::kF32;
    case Precision::kBFloat16: return DType::kBF16;
    case Precision::kInt4: return is_of_tokens ? BlockType::kQ8_0 : BlockType::kQ4_0;
    case Precision::kInt8: break;
  }
  if (uses_blocks) return BlockType::kQ8_0;
  return DType::kI8;
}

}  // namespace weft::model_file
