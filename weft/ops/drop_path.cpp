#include "weft/ops/drop_path.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/ops/dropout.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

namespace {

// The factor of each row.
std::vector<float> factors_of(const DropoutParams& drop) {
  const kernels::DropoutMask& mask = drop.mask;
  const float kept = static_cast<float>(mask.factor());
  std::vector<float> out;
  out.reserve(drop.rows->sequence.size());
  for (const int32_t sequence : drop.rows->sequence) {
    const PhiloxCounter words =
        philox({mask.stream, static_cast<uint32_t>(sequence), 0, 0}, mask.key);
    out.push_back((words[0] & 0xFFFFu) < mask.threshold ? 0 : kept);
  }
  return out;
}

}  // namespace

Tensor drop_path(const Tensor& x, const DropoutParams& drop, Tape* tape) {
  if (!drop) return x;
  check_dropout(drop, x);
  Tensor y = Tensor::empty(x.shape(), x.dtype());  // [N, D]
  backend_of(x)(kernels::ScaleRows{.x = x, .factors = factors_of(drop).data(), .y = y});
  record(tape, y, {&x}, [drop](Backward& b) {
    const Tensor d_y = b.d_output();
    const std::vector<float> factors = factors_of(drop);
    b.write(0, [&](const Tensor& d_x) {
      backend_of(d_y)(kernels::ScaleRows{.x = d_y, .factors = factors.data(), .y = d_x});
    });
  });
  return y;
}

}  // namespace weft::ops
