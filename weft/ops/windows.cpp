#include "weft/ops/windows.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

namespace {

// The row `shift` behind each row, or -1 where its sentence has none.
std::vector<int32_t> shifted(const Rows& rows, int64_t shift) {
  std::vector<int32_t> at(static_cast<size_t>(rows.count()), -1);
  for (int64_t b = 0; b < rows.sentences(); ++b) {
    const int64_t begin = rows.segments.begin(b), end = rows.segments.end(b);
    for (int64_t n = begin; n < end; ++n) {
      const int64_t other = n + shift;
      if (other >= begin && other < end) at[n] = static_cast<int32_t>(other);
    }
  }
  return at;
}

}  // namespace

Tensor windows(const Tensor& x, const RowsPtr& rows, int64_t width, Tape* tape) {
  check_shape("windows", "x", x, rows->count(), -1);
  if (width < 1 || width % 2 == 0) {
    fail<ShapeError>("windows", "expected an odd width, got {}", width);
  }
  const int64_t features = x.cols();
  const auto part = [features](const Tensor& y, int64_t k) {
    return y.col_range(k * features, (k + 1) * features);
  };
  Tensor y = Tensor::empty({x.rows(), width * features}, x.dtype());  // [N, width*D]
  for (int64_t k = 0; k < width; ++k) {
    backend_of(x)(kernels::GatherRows{
        .x = x, .index = shifted(*rows, k - width / 2).data(), .y = part(y, k)});
  }
  record(tape, y, {&x}, [rows, width, part](Backward& b) {
    const Tensor d_y = b.d_output();
    for (int64_t k = 0; k < width; ++k) {
      const std::vector<int32_t> back = shifted(*rows, width / 2 - k);
      b.write(0, [&](const Tensor& d_x) {
        backend_of(d_y)(kernels::GatherRows{.x = part(d_y, k), .index = back.data(), .y = d_x});
      });
    }
  });
  return y;
}

}  // namespace weft::ops
