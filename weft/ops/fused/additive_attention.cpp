#include "weft/ops/fused/additive_attention.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/recurrent.h"
#include "weft/kernels/reduce.h"
#include "weft/ops/activation.h"
#include "weft/ops/add.h"
#include "weft/ops/fused/enabled.h"
#include "weft/ops/matmul.h"
#include "weft/ops/slice.h"
#include "weft/ops/softmax.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

namespace {

void check(const Tensor& q, const AdditiveKeys& seen) {
  check_shape("additive_attention", "keys", seen.keys, seen.segments->rows(), q.cols());
  check_shape("additive_attention", "values", seen.values, seen.segments->rows(), -1);
  check_shape("additive_attention", "v", seen.v, 1, q.cols());
  check_shape("additive_attention", "q", q, seen.segments->count(), -1);
}

}  // namespace

Tensor additive_attention_composite(const Tensor& q, const AdditiveKeys& seen, Tape* tape) {
  check(q, seen);
  Tensor out = Tensor::empty({0, seen.values.cols()}, q.dtype());
  if (seen.weights != nullptr) *seen.weights = Tensor::empty({1, 0}, q.dtype());
  for (int64_t w = 0; w < q.rows(); ++w) {
    const int64_t begin = seen.segments->begin(w), end = seen.segments->end(w);
    const Tensor keys = slice_rows(seen.keys, begin, end, tape);      // [S, A]
    const Tensor values = slice_rows(seen.values, begin, end, tape);  // [S, C]
    const Tensor sum = add_bias(keys, slice_rows(q, w, w + 1, tape), tape);
    const Tensor scores =
        matmul(seen.v, activate(Activation::kTanh, sum, tape), {.b = true}, tape);  // [1, S]
    const Tensor weights = softmax(scores, tape);
    if (seen.weights != nullptr) *seen.weights = concat_cols(*seen.weights, weights, nullptr);
    out = concat_rows(out, matmul(weights, values, {}, tape), tape);
  }
  return out;
}

Tensor additive_attention(const Tensor& q, const AdditiveKeys& seen, Tape* tape) {
  check(q, seen);
  if (!fused_enabled()) return additive_attention_composite(q, seen, tape);
  Tensor out = Tensor::empty({q.rows(), seen.values.cols()}, q.dtype());  // [W, C]
  const Tensor weights = Tensor::empty({1, seen.keys.rows()}, sum_type(q.dtype()));
  const auto describe = [q, keys = seen.keys, values = seen.values, v = seen.v,
                         segments = seen.segments, weights] {
    return kernels::AdditiveAttention{.q = q,
                                      .keys = keys,
                                      .v = v,
                                      .values = values,
                                      .rows = {},
                                      .offsets = segments->offsets,
                                      .out = {},
                                      .weights = weights};
  };
  kernels::AdditiveAttention call = describe();
  call.out = out;
  backend_of(q)(call);
  if (seen.weights != nullptr) *seen.weights = weights;
  record(tape, out, {&q, &seen.keys, &seen.values, &seen.v}, [describe](Backward& b) {
    const Tensor d_out = b.d_output();
    const kernels::AdditiveAttention forward = describe();
    const auto like = [&](const kernels::View& x) {
      return Tensor::empty({x.rows, x.cols}, d_out.dtype());
    };
    const Tensor d_q = like(forward.q), d_keys = like(forward.keys),
                 d_values = like(forward.values);
    const Tensor d_v = Tensor::empty({d_q.rows(), d_q.cols()}, sum_type(d_out.dtype()));
    backend_of(d_out)(kernels::AdditiveAttentionBackward{.forward = forward,
                                                         .d_out = d_out,
                                                         .d_q = d_q,
                                                         .d_keys = d_keys,
                                                         .d_values = d_values,
                                                         .d_v = d_v});
    b.accumulate(
        3, [&](const Tensor& sum) { backend_of(d_v)(kernels::ColumnSum{.x = d_v, .y = sum}); });
    b.add(0, d_q);
    b.add(1, d_keys);
    b.add(2, d_values);
  });
  return out;
}

}  // namespace weft::ops
