#include "weft/ops/rows/mean_rows.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/kernels/reduce.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

namespace {

// A row for each sequence, scaled by one over its length.
void divide_by_lengths(const Tensor& x, const Layout& rows) {
  for (int64_t b = 0; b < rows.sequences(); ++b) {
    const int32_t length = rows.segments.length(b);
    const Tensor row = x.row_range(b, b + 1);
    if (length > 0) backend_of(x)(kernels::Scale{.alpha = 1.0 / length, .x = row, .y = row});
  }
}

}  // namespace

Tensor mean_rows(const Tensor& x, const LayoutPtr& rows, Tape* tape) {
  check_shape("mean_rows", "x", x, rows->count(), -1);
  const auto& backend = backend_of(x);
  const Tensor sums = Tensor::zeros({rows->sequences(), x.cols()}, sum_type(x.dtype()));
  for (int64_t b = 0; b < rows->sequences(); ++b) {
    backend(kernels::ColumnSum{.x = x.row_range(rows->segments.begin(b), rows->segments.end(b)),
                               .y = sums.row_range(b, b + 1)});
  }
  divide_by_lengths(sums, *rows);
  Tensor y = sums.dtype() == x.dtype() ? sums : sums.to(x.dtype());  // [B, D]
  record(tape, y, {&x}, [rows](Backward& b) {
    const Tensor d_y = b.d_output().clone();
    divide_by_lengths(d_y, *rows);
    std::vector<int32_t> of_row;
    for (int64_t s = 0; s < rows->sequences(); ++s) {
      of_row.resize(static_cast<size_t>(rows->segments.end(s)), static_cast<int32_t>(s));
    }
    b.write(0, [&](const Tensor& d_x) {
      backend_of(d_y)(kernels::GatherRows{.x = d_y, .index = of_row.data(), .y = d_x});
    });
  });
  return y;
}

}  // namespace weft::ops
