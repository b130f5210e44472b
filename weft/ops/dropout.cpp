#include "weft/ops/dropout.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/dropout.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

void check_site(const DropoutSite& site, const Tensor& x) {
  if (site) check_shape("dropout", "x", x, site.rows->count(), -1);
}

Tensor dropout(const Tensor& x, const DropoutSite& site, Tape* tape) {
  if (!site) return x;
  check_site(site, x);
  Tensor y = Tensor::empty(x.shape(), x.dtype());  // [N, D]
  backend_of(x)(kernels::Dropout{.mask = site.mask, .x = x, .y = y});
  record(tape, y, {&x}, [site](Backward& b) {
    const Tensor d_y = b.d_output();
    b.write(0, [&](const Tensor& d_x) {
      backend_of(d_y)(kernels::Dropout{.mask = site.mask, .x = d_y, .y = d_x});
    });
  });
  return y;
}

}  // namespace weft::ops
