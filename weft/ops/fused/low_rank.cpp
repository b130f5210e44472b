#include "weft/ops/fused/low_rank.h"

#include <vector>

#include "weft/core/error.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/gemm.h"
#include "weft/ops/add.h"
#include "weft/ops/fused/enabled.h"
#include "weft/ops/matmul.h"
#include "weft/ops/slice.h"

namespace weft::ops {
namespace {

void check_parts(const Tensor& y, const Tensor& h, std::span<const LowRankPart> parts) {
  if (h.rows() != y.rows()) {
    fail<ShapeError>("low_rank", "h has {} rows; expected {}", h.rows(), y.rows());
  }
  int64_t ranks = 0;
  for (const LowRankPart& part : parts) {
    const int64_t y_end = part.y_begin + part.up.rows();
    if (part.y_begin < 0 || y_end > y.cols()) {
      fail<ShapeError>("low_rank", "columns [{}, {}) of y; expected some of {}", part.y_begin,
                       y_end, y.cols());
    }
    if (part.h_begin != ranks) {
      fail<ShapeError>("low_rank", "columns of h from {}; expected from {}", part.h_begin, ranks);
    }
    ranks += part.up.cols();
  }
  if (ranks != h.cols()) {
    fail<ShapeError>("low_rank", "h has {} columns; expected {}", h.cols(), ranks);
  }
}

Tensor columns_of_y(const Tensor& y, const LowRankPart& part) {
  return y.col_range(part.y_begin, part.y_begin + part.up.rows());
}

Tensor columns_of_h(const Tensor& h, const LowRankPart& part) {
  return h.col_range(part.h_begin, part.h_begin + part.up.cols());
}

// x with columns [begin, begin + z.cols()) replaced by z.
Tensor with_columns(const Tensor& x, int64_t begin, const Tensor& z, Tape* tape) {
  const int64_t end = begin + z.cols();
  Tensor out = z;
  if (begin > 0) out = concat_cols(slice_cols(x, 0, begin, tape), out, tape);
  if (end < x.cols()) out = concat_cols(out, slice_cols(x, end, x.cols(), tape), tape);
  return out;
}

struct OwnedPart {
  Tensor up;
  int64_t h_begin, y_begin;
  operator LowRankPart() const { return {up, h_begin, y_begin}; }  // NOLINT: the same, as a view
};

void h_gradient(const Tensor& d_y, const std::vector<OwnedPart>& parts, const Tensor& d_h) {
  for (const LowRankPart part : parts) {
    backend_of(d_h)(
        kernels::Gemm{.a = columns_of_y(d_y, part), .b = part.up, .c = columns_of_h(d_h, part)});
  }
}

}  // namespace

Tensor add_low_rank_composite(const Tensor& y, const Tensor& h, std::span<const LowRankPart> parts,
                              Tape* tape) {
  Tensor out = y;
  for (const LowRankPart& part : parts) {
    const Tensor h_part = slice_cols(h, part.h_begin, part.h_begin + part.up.cols(), tape);
    const Tensor delta = matmul(h_part, part.up, {.b = true}, tape);  // [N, D_out]
    const Tensor before = slice_cols(out, part.y_begin, part.y_begin + part.up.rows(), tape);
    out = with_columns(out, part.y_begin, add(before, delta, tape), tape);
  }
  return out;
}

Tensor add_low_rank(const Tensor& y, const Tensor& h, std::span<const LowRankPart> parts,
                    Tape* tape) {
  check_parts(y, h, parts);
  if (!fused_enabled()) return add_low_rank_composite(y, h, parts, tape);
  Tensor out = y;
  out.node = autograd::kConstant;
  std::vector<const Tensor*> inputs{&y, &h};
  std::vector<OwnedPart> kept;
  for (const LowRankPart& part : parts) {
    backend_of(y)(kernels::Gemm{.a = columns_of_h(h, part),
                                .b = part.up,
                                .c = columns_of_y(out, part),
                                .transpose_b = true,
                                .beta = 1});
    inputs.push_back(&part.up);
    kept.push_back({part.up, part.h_begin, part.y_begin});
  }
  if (tape == nullptr) return out;
  tape->record({&out}, inputs, [h, kept](autograd::Backward& b) {
    const Tensor d_y = b.d_output();
    for (size_t i = 0; i < kept.size(); ++i) {
      b.product(static_cast<int>(i) + 2, [&](const Tensor& d_up, float beta) {
        backend_of(d_y)(kernels::Gemm{.a = columns_of_y(d_y, kept[i]),
                                      .b = columns_of_h(h, kept[i]),
                                      .c = d_up,
                                      .transpose_a = true,
                                      .beta = beta});
      });
    }
    b.write(1, [&](const Tensor& d_h) { h_gradient(d_y, kept, d_h); });
    b.add(0, d_y);
  });
  return out;
}

}  // namespace weft::ops
