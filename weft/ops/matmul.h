// Matrix products.
#ifndef WEFT_OPS_MATMUL_H_
#define WEFT_OPS_MATMUL_H_

#include "weft/autograd/tape.h"

namespace weft::ops {

using autograd::Tape;

// Whether an operand is stored transposed.
struct Transposed {
  bool a = false;
  bool b = false;
};

// y [m, n] = op(a) op(b), where op(a) is [m, k] and op(b) is [k, n]. Throws ShapeError where
// their k differ.
Tensor matmul(const Tensor& a, const Tensor& b, Transposed transposed, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_MATMUL_H_
