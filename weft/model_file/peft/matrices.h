// The matrices of low-rank updates as PEFT stores them and as Weft has them.
#ifndef WEFT_MODEL_FILE_PEFT_MATRICES_H_
#define WEFT_MODEL_FILE_PEFT_MATRICES_H_

#include <span>
#include <vector>

#include "weft/model_file/adapter.h"
#include "weft/model_file/foreign/name_map.h"
#include "weft/tensor/tensor.h"

namespace weft::model_file {

// Of a linear map there.
struct PeftMatrices {
  Tensor down;  // A [r, D_in]
  Tensor up;    // B [D_out, r]
};

// The updates of our weights that one linear map of PEFT holds. If it holds several weights, the
// update of each has the rows of A for which its columns of B are not zero; a weight without such
// rows has no update.
std::vector<AdapterMatrices> updates_of(const MappedTensor& map, const PeftMatrices& matrices);

// The reverse, of `parts[i]` for the i-th weight, null where it has no update; at least one has.
// Several weights share A if it is the same for all; otherwise their A are stacked, and B is block
// diagonal.
PeftMatrices matrices_of(const MappedTensor& map, std::span<const AdapterMatrices* const> parts);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_PEFT_MATRICES_H_
