// Views of rows and columns, and their inverse.
#ifndef WEFT_OPS_SLICE_H_
#define WEFT_OPS_SLICE_H_

#include "weft/autograd/tape.h"

namespace weft::ops {

using autograd::Tape;

// y = x[begin:end), rows; a view. Throws ShapeError for a range that x does not have.
Tensor slice_rows(const Tensor& x, int64_t begin, int64_t end, Tape* tape);

// y = x[:, begin:end); a view. Throws ShapeError for a range that x does not have.
Tensor slice_cols(const Tensor& x, int64_t begin, int64_t end, Tape* tape);

// All parts below each other. Throws ShapeError where there are none or their columns differ.
Tensor stack_rows(std::span<const Tensor> parts, Tape* tape);

// Two tensors below or beside each other. Throws ShapeError where their columns, or rows, differ in
// number.
Tensor concat_rows(const Tensor& x, const Tensor& z, Tape* tape);
Tensor concat_cols(const Tensor& x, const Tensor& z, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_SLICE_H_
