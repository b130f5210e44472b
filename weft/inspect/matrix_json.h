// Matrices inside JSON: rounded to a step, compressed, as base64.
#ifndef WEFT_INSPECT_MATRIX_JSON_H_
#define WEFT_INSPECT_MATRIX_JSON_H_

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "weft/tensor/tensor.h"

namespace weft::inspect {

// {"shape": [n, rows, cols], "low": a, "step": b, "data": "..."}: `data` is base64 of a zlib stream
// of n * rows * cols low bytes, then as many high bytes, of integers of 16 bits; a value is
// a + b * integer, within 1e-4 of that given where the values are probabilities. The matrices are
// F32 of one shape. Throws NumericError for a value that is not finite.
nlohmann::ordered_json matrices_json(std::span<const Tensor> matrices);

}  // namespace weft::inspect

#endif  // WEFT_INSPECT_MATRIX_JSON_H_
