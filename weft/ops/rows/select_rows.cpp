#include "weft/ops/rows/select_rows.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

Selection make_selection(std::vector<int32_t> from, int64_t rows) {
  std::vector<int32_t> back(static_cast<size_t>(rows), -1);
  for (size_t n = 0; n < from.size(); ++n) {
    if (from[n] < 0) continue;
    if (from[n] >= rows || back[static_cast<size_t>(from[n])] >= 0) {
      fail<ShapeError>("select_rows", "row {} of {} is not there or taken twice", from[n], rows);
    }
    back[static_cast<size_t>(from[n])] = static_cast<int32_t>(n);
  }
  return {make_ids(std::move(from)), make_ids(std::move(back))};
}

Selection inverse(const Selection& selection) { return {selection.to, selection.from}; }

namespace {

void gather(const Tensor& x, const Ids& from, const Tensor& y) {
  backend_of(x)(kernels::GatherRows{.x = x, .index = from->data(), .y = y});
}

}  // namespace

Tensor select_rows(const Tensor& x, const Selection& selection, Tape* tape) {
  check_shape("select_rows", "x", x, std::ssize(*selection.to), -1);
  Tensor y = Tensor::empty({std::ssize(*selection.from), x.cols()}, x.dtype());  // [N, D]
  gather(x, selection.from, y);
  record(tape, y, {&x}, [back = selection.to](Backward& b) {
    const Tensor d_y = b.d_output();
    b.write(0, [&](const Tensor& d_x) { gather(d_y, back, d_x); });
  });
  return y;
}

}  // namespace weft::ops
