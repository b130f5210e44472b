#include "weft/ops/fused/linear_attention.h"

#include <algorithm>

#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/kernels/linear_attention.h"
#include "weft/ops/fused/enabled.h"
#include "weft/ops/matmul.h"
#include "weft/ops/scale.h"
#include "weft/ops/slice.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

namespace {

void check(const Tensor& q, const Tensor& k, const Tensor& v, const LinearAttentionParams& params) {
  if (params.heads < 1 || q.cols() % params.heads != 0 || v.cols() % params.heads != 0) {
    fail<ShapeError>("linear_attention", "{} heads do not divide {} and {} columns", params.heads,
                     q.cols(), v.cols());
  }
  check_shape("linear_attention", "q", q, params.queries->count(), -1);
  check_shape("linear_attention", "k", k, params.keys->count(), q.cols());
  check_shape("linear_attention", "v", v, params.keys->count(), -1);
  if (params.queries->sequences() != params.keys->sequences()) {
    fail<ShapeError>("linear_attention", "{} sequences of queries for {} of keys",
                     params.queries->sequences(), params.keys->sequences());
  }
}

kernels::LinearAttention describe(const Tensor& q, const Tensor& k, const Tensor& v,
                                  const LinearAttentionParams& params) {
  return {.q = q,
          .k = k,
          .v = v,
          .out = {},
          .divisors = {},
          .q_offsets = params.queries->segments.offsets,
          .k_offsets = params.keys->segments.offsets,
          .heads = params.heads,
          .causal = params.causal,
          .by_weight = params.by_weight};
}

// 0 for a masked key, else the weight of a product, [T, S].
Tensor key_weights(int64_t rows, int64_t cols, const LinearAttentionParams& params, DType dtype) {
  Tensor out = Tensor::zeros({rows, cols}, dtype);
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t count = params.causal ? std::min(cols, i + 1) : cols;
    const double number =
        params.by_weight ? 1 : 1 / static_cast<double>(std::max<int64_t>(count, 1));
    backend_of(out)(
        kernels::Fill{.y = out.row_range(i, i + 1).col_range(0, count), .value = number});
  }
  return out;
}

}  // namespace

Tensor linear_attention_weights(const Tensor& q, const Tensor& k,
                                const LinearAttentionParams& params, const SequenceHead& which,
                                Tape* tape) {
  const int64_t size = q.cols() / params.heads;
  const auto part = [&](const Tensor& x, const Layout& rows) {
    const Tensor x_b =
        slice_rows(x, rows.segments.begin(which.sequence), rows.segments.end(which.sequence), tape);
    return slice_cols(x_b, which.head * size, (which.head + 1) * size, tape);
  };
  const Tensor q_h = part(q, *params.queries);  // [T, K]
  const Tensor k_h = part(k, *params.keys);     // [S, K]
  const Tensor factors = key_weights(q_h.rows(), k_h.rows(), params, q.dtype());
  Tensor weights = multiply(matmul(q_h, k_h, {.b = true}, tape), factors, tape);  // [T, S]
  if (!params.by_weight || k_h.rows() == 0) return weights;
  const Tensor ones = Tensor::full({k_h.rows(), k_h.rows()}, 1, q.dtype());
  return divide(weights, matmul(weights, ones, {}, tape), tape);
}

Tensor linear_attention_composite(const Tensor& q, const Tensor& k, const Tensor& v,
                                  const LinearAttentionParams& params, Tape* tape) {
  check(q, k, v, params);
  const int64_t value_size = v.cols() / params.heads;
  Tensor out = Tensor::empty({0, v.cols()}, q.dtype());
  for (int64_t b = 0; b < params.queries->sequences(); ++b) {
    const Segments& keys = params.keys->segments;
    const Tensor v_b = slice_rows(v, keys.begin(b), keys.end(b), tape);  // [S, H*Kv]
    Tensor out_b = Tensor::empty({params.queries->segments.length(b), 0}, q.dtype());
    for (int64_t h = 0; h < params.heads; ++h) {
      const Tensor v_h = slice_cols(v_b, h * value_size, (h + 1) * value_size, tape);
      const Tensor weights = linear_attention_weights(q, k, params, {b, h}, tape);
      out_b = concat_cols(out_b, matmul(weights, v_h, {}, tape), tape);
    }
    out = concat_rows(out, out_b, tape);
  }
  return out;  // [N, H*Kv]
}

Tensor linear_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                        const LinearAttentionParams& params, Tape* tape) {
  if (!fused_enabled()) return linear_attention_composite(q, k, v, params, tape);
  check(q, k, v, params);
  Tensor out = Tensor::empty({q.rows(), v.cols()}, q.dtype());                     // [N, H*Kv]
  Tensor divisors = Tensor::empty({q.rows(), params.heads}, sum_type(q.dtype()));  // [N, H]
  kernels::LinearAttention call = describe(q, k, v, params);
  call.out = out;
  call.divisors = divisors;
  backend_of(q)(call);
  record(tape, out, {&q, &k, &v}, [q, k, v, params, out, divisors](Backward& b) {
    kernels::LinearAttentionBackward gradient{.forward = describe(q, k, v, params)};
    gradient.forward.out = out;
    gradient.forward.divisors = divisors;
    const Tensor d_out = b.d_output();
    gradient.d_out = d_out;
    b.write_all([&](std::span<const Tensor> d) {
      const Tensor d_q = autograd::or_scratch(d[0], q), d_k = autograd::or_scratch(d[1], k),
                   d_v = autograd::or_scratch(d[2], v);
      gradient.d_q = d_q, gradient.d_k = d_k, gradient.d_v = d_v;
      backend_of(q)(gradient);
    });
  });
  return out;
}

}  // namespace weft::ops
