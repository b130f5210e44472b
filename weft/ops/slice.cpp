#include "weft/ops/slice.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

namespace {

// Where a slice stands in the tensor it is of.
struct Range {
  bool rows;
  int64_t begin, end;
  Tensor of(const Tensor& x) const {
    return rows ? x.row_range(begin, end) : x.col_range(begin, end);
  }
};

Tensor slice(const Tensor& x, Range range, Tape* tape) {
  Tensor y = range.of(x);
  record(tape, y, {&x}, [range](Backward& b) {
    const Tensor d_y = b.d_output();
    b.accumulate(0, [&](const Tensor& d_x) {
      const Tensor part = range.of(d_x);
      backend_of(d_y)(kernels::Accumulate{.alpha = 1, .x = d_y, .y = part});
    });
  });
  return y;
}

Tensor concat(const Tensor& x, const Tensor& z, bool rows, Tape* tape) {
  const Shape shape =
      rows ? Shape{x.rows() + z.rows(), x.cols()} : Shape{x.rows(), x.cols() + z.cols()};
  const Range first{rows, 0, rows ? x.rows() : x.cols()};
  const Range second{rows, first.end, rows ? shape.rows() : shape.cols()};
  Tensor y = Tensor::empty(shape, x.dtype());
  backend_of(x)(kernels::Copy{.x = x, .y = first.of(y)});
  backend_of(x)(kernels::Copy{.x = z, .y = second.of(y)});
  record(tape, y, {&x, &z}, [first, second](Backward& b) {
    const Tensor d_y = b.d_output();
    b.write(0, [&](const Tensor& d_x) {
      backend_of(d_y)(kernels::Copy{.x = first.of(d_y), .y = d_x});
    });
    b.write(1, [&](const Tensor& d_z) {
      backend_of(d_y)(kernels::Copy{.x = second.of(d_y), .y = d_z});
    });
  });
  return y;
}

}  // namespace

Tensor slice_rows(const Tensor& x, int64_t begin, int64_t end, Tape* tape) {
  return slice(x, {true, begin, end}, tape);
}

Tensor slice_cols(const Tensor& x, int64_t begin, int64_t end, Tape* tape) {
  return slice(x, {false, begin, end}, tape);
}

Tensor stack_rows(std::span<const Tensor> parts, Tape* tape) {
  if (parts.empty()) fail<ShapeError>("stack_rows", "no parts; expected at least one");
  std::vector<const Tensor*> inputs;
  std::vector<int64_t> begins{0};
  for (const Tensor& part : parts) {
    check_shape("stack_rows", "part", part, -1, parts.front().cols());
    inputs.push_back(&part);
    begins.push_back(begins.back() + part.rows());
  }
  Tensor y = Tensor::empty({begins.back(), parts.front().cols()}, parts.front().dtype());
  for (size_t i = 0; i < parts.size(); ++i) {
    backend_of(y)(kernels::Copy{.x = parts[i], .y = y.row_range(begins[i], begins[i + 1])});
  }
  if (tape == nullptr) return y;
  tape->record({&y}, std::span<const Tensor* const>(inputs), [begins](Backward& b) {
    const Tensor d_y = b.d_output();
    for (size_t i = 0; i + 1 < begins.size(); ++i) {
      b.write(static_cast<int>(i), [&](const Tensor& d_part) {
        backend_of(d_y)(kernels::Copy{.x = d_y.row_range(begins[i], begins[i + 1]), .y = d_part});
      });
    }
  });
  return y;
}

Tensor concat_rows(const Tensor& x, const Tensor& z, Tape* tape) {
  check_shape("concat_rows", "z", z, -1, x.cols());
  return concat(x, z, true, tape);
}

Tensor concat_cols(const Tensor& x, const Tensor& z, Tape* tape) {
  check_shape("concat_cols", "z", z, x.rows(), -1);
  return concat(x, z, false, tape);
}

}  // namespace weft::ops
