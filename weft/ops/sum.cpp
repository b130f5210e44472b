#include "weft/ops/sum.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

Tensor sum(const Tensor& x, Tape* tape) {
  Tensor columns = Tensor::zeros({1, x.cols()}, x.dtype());
  backend_of(x).column_sum(x, columns);
  double total = 0;
  for (int64_t d = 0; d < x.cols(); ++d) total += columns.col_range(d, d + 1).item();
  Tensor y = Tensor::full({1, 1}, total, x.dtype());
  record(tape, y, {&x}, [shape = x.shape()](Backward& b) {
    const Tensor d_y = b.d_output();
    b.add(0, Tensor::full(shape, d_y.item(), d_y.dtype()));
  });
  return y;
}

}  // namespace weft::ops
