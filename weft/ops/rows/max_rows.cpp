#include "weft/ops/rows/max_rows.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/max_rows.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

Tensor max_rows(const Tensor& x, const LayoutPtr& rows, Tape* tape, std::vector<int32_t>* row_of) {
  check_shape("max_rows", "x", x, rows->count(), -1);
  Tensor y = Tensor::empty({rows->sequences(), x.cols()}, x.dtype());  // [B, D]
  std::vector<int32_t> from(static_cast<size_t>(y.size()));
  backend_of(x)(
      kernels::MaxRows{.x = x, .offsets = rows->segments.offsets, .y = y, .row = from.data()});
  if (row_of != nullptr) *row_of = from;
  record(tape, y, {&x}, [rows, from = std::move(from)](Backward& b) {
    const Tensor d_y = b.d_output();
    b.write(0, [&](const Tensor& d_x) {
      backend_of(d_y)(kernels::MaxRowsBackward{
          .d_y = d_y, .offsets = rows->segments.offsets, .row = from.data(), .d_x = d_x});
    });
  });
  return y;
}

}  // namespace weft::ops
