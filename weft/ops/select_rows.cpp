#include "weft/ops/select_rows.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

Selection make_selection(std::vector<int32_t> at, int64_t rows) {
  std::vector<int32_t> back(static_cast<size_t>(rows), -1);
  for (size_t n = 0; n < at.size(); ++n) {
    if (at[n] < 0) continue;
    if (at[n] >= rows || back[static_cast<size_t>(at[n])] >= 0) {
      fail<ShapeError>("select_rows", "row {} of {} is not there or taken twice", at[n], rows);
    }
    back[static_cast<size_t>(at[n])] = static_cast<int32_t>(n);
  }
  return {make_ids(std::move(at)), make_ids(std::move(back))};
}

Selection inverse(const Selection& selection) { return {selection.back_at, selection.at}; }

namespace {

void gather(const Tensor& x, const Ids& at, const Tensor& y) {
  backend_of(x)(kernels::GatherRows{.x = x, .index = at->data(), .y = y});
}

}  // namespace

Tensor select_rows(const Tensor& x, const Selection& selection, Tape* tape) {
  check_shape("select_rows", "x", x, std::ssize(*selection.back_at), -1);
  Tensor y = Tensor::empty({std::ssize(*selection.at), x.cols()}, x.dtype());  // [N, D]
  gather(x, selection.at, y);
  record(tape, y, {&x}, [back = selection.back_at](Backward& b) {
    const Tensor d_y = b.d_output();
    b.write(0, [&](const Tensor& d_x) { gather(d_y, back, d_x); });
  });
  return y;
}

}  // namespace weft::ops
