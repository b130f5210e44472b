// The precision of the matrices of a model that predicts.
#ifndef WEFT_MODEL_FILE_PRECISION_H_
#define WEFT_MODEL_FILE_PRECISION_H_

#include <string>
#include <string_view>

#include "weft/nn/parameters.h"

namespace weft::model_file {

enum class Precision {
  kStored,  // as in the file
  kFloat32,
  kBFloat16,
  kInt8,  // with a scale for each row; in language models for each 32 columns (Q8_0)
  kInt4,  // Q4_0, and Q8_0 for tables of tokens; of language models alone
};
// "auto", "float32", "bfloat16", "int8" or "int4"; throws OptionError for another name.
Precision precision_named(std::string_view name);

// The option of commands that load models.
struct PrecisionOption {
  std::string precision = "auto";

  template <class V>
  void fields(V& v) {
    v("precision", precision,
      {.help = "type of weights in memory and in products; auto: as in the file; int4: of language "
               "models",
       .choices = "auto|float32|bfloat16|int8|int4"});
  }
  Precision weights() const { return precision_named(precision); }
};

// How the matrices of a model are rounded.
struct Rounding {
  Precision precision = Precision::kStored;
  bool uses_blocks = false;  // for integers

  // The type of a matrix that the file has in `stored`.
  kernels::PackedType type(const nn::Parameter& matrix, kernels::PackedType stored) const;
};

[[noreturn]] void fail_without_int4(std::string_view kind);

// Of a kind of model, by its session. Throws OptionError for a precision that it does not have.
template <class Session>
Rounding rounding_of(Precision precision) {
  constexpr bool kUsesBlocks = requires { requires Session::kUsesBlocks; };
  if (precision == Precision::kInt4 && !kUsesBlocks) fail_without_int4(Session::kKind);
  return {precision, kUsesBlocks};
}

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_PRECISION_H_
