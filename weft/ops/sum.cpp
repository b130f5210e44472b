#include "weft/ops/sum.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/reduce.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

Tensor sum(const Tensor& x, Tape* tape) {
  Tensor y = Tensor::full({1, 1}, total_of(x), sum_type(x.dtype()));
  record(tape, y, {&x}, [shape = x.shape(), dtype = x.dtype()](Backward& b) {
    b.add(0, Tensor::full(shape, b.d_output().item(), dtype));
  });
  return y;
}

double total_of(const Tensor& x) {
  const Tensor columns = Tensor::zeros({1, x.cols()}, sum_type(x.dtype()));
  backend_of(x)(kernels::ColumnSum{.x = x, .y = columns});
  double total = 0;
  for (int64_t d = 0; d < x.cols(); ++d) total += columns.col_range(d, d + 1).item();
  return total;
}

}  // namespace weft::ops
