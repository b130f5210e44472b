#include "weft/ops/fused/attention.h"

#include <algorithm>
#include <limits>

#include "weft/ops/add.h"
#include "weft/ops/dropout.h"
#include "weft/ops/fused/enabled.h"
#include "weft/ops/matmul.h"
#include "weft/ops/scale.h"
#include "weft/ops/slice.h"
#include "weft/ops/softmax.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

namespace {

void check(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionRule& rule) {
  check_shape("attention", "q", q, rule.queries->count(), -1);
  check_shape("attention", "k", k, rule.keys->count(), q.cols());
  check_shape("attention", "v", v, rule.keys->count(), -1);
  check_site(rule.dropout, q);
  if (rule.heads < 1 || q.cols() % rule.heads != 0 || v.cols() % rule.heads != 0) {
    fail<ShapeError>("attention", "{} heads do not divide {} and {} columns", rule.heads, q.cols(),
                     v.cols());
  }
  if (rule.queries->sentences() != rule.keys->sentences()) {
    fail<ShapeError>("attention", "{} sentences of queries for {} of keys",
                     rule.queries->sentences(), rule.keys->sentences());
  }
}

// The kernels' description of the same call.
kernels::Attention describe(const Tensor& q, const Tensor& k, const Tensor& v,
                            const AttentionRule& rule) {
  kernels::Attention a;
  a.q = q;
  a.k = k;
  a.v = v;
  a.q_offsets = rule.queries->offsets;
  a.k_offsets = rule.keys->offsets;
  a.heads = rule.heads;
  a.scale = rule.scale;
  a.causal = rule.causal;
  a.dropout = rule.dropout.mask;
  return a;
}

// Adds -infinity to the scores of keys after the query.
Tensor causal_mask(int64_t rows, int64_t cols, DType dtype) {
  Tensor mask = Tensor::zeros({rows, cols}, dtype);
  for (int64_t i = 0; i < std::min(rows, cols); ++i) {
    const Tensor after = mask.row_range(i, i + 1).col_range(i + 1, cols);
    backend_of(mask).fill(after, -std::numeric_limits<double>::infinity());
  }
  return mask;
}

// Dropout for the weights of one sentence and head: rows from `begin` on.
DropoutSite site_of(const DropoutSite& site, int64_t head, const Rows& queries, size_t sentence) {
  const auto begin = static_cast<size_t>(queries.offsets[sentence]);
  const auto end = static_cast<size_t>(queries.offsets[sentence + 1]);
  auto rows = std::make_shared<Rows>();
  rows->sentence.assign(queries.sentence.begin() + begin, queries.sentence.begin() + end);
  rows->position.assign(queries.position.begin() + begin, queries.position.begin() + end);
  DropoutSite out = site;
  out.mask.site += static_cast<uint32_t>(head);
  out.mask.sentence = rows->sentence.data();
  out.mask.position = rows->position.data();
  out.rows = std::move(rows);
  return out;
}

}  // namespace

Tensor attention_composite(const Tensor& q, const Tensor& k, const Tensor& v,
                           const AttentionRule& rule, Tape* tape) {
  check(q, k, v, rule);
  const int64_t key_size = q.cols() / rule.heads, value_size = v.cols() / rule.heads;
  Tensor out = Tensor::empty({0, v.cols()}, q.dtype());
  for (size_t b = 0; b + 1 < rule.queries->offsets.size(); ++b) {
    const auto rows_of = [&](const Tensor& x, const Rows& rows) {
      return slice_rows(x, rows.offsets[b], rows.offsets[b + 1], tape);
    };
    const Tensor q_b = rows_of(q, *rule.queries);  // [T, H*K]
    const Tensor k_b = rows_of(k, *rule.keys);     // [S, H*K]
    const Tensor v_b = rows_of(v, *rule.keys);     // [S, H*Kv]
    Tensor out_b = Tensor::empty({q_b.rows(), 0}, q.dtype());
    for (int64_t h = 0; h < rule.heads; ++h) {
      const Tensor q_h = slice_cols(q_b, h * key_size, (h + 1) * key_size, tape);
      const Tensor k_h = slice_cols(k_b, h * key_size, (h + 1) * key_size, tape);
      const Tensor v_h = slice_cols(v_b, h * value_size, (h + 1) * value_size, tape);
      Tensor scores = scale(matmul(q_h, k_h, {.b = true}, tape), rule.scale, tape);  // [T, S]
      if (rule.causal) {
        scores = add(scores, causal_mask(scores.rows(), scores.cols(), q.dtype()), tape);
      }
      Tensor weights = softmax(scores, tape);  // [T, S]
      if (rule.trace != nullptr) rule.trace->push_back(weights);
      if (rule.dropout) {
        weights = dropout(weights, site_of(rule.dropout, h, *rule.queries, b), tape);
      }
      out_b = concat_cols(out_b, matmul(weights, v_h, {}, tape), tape);  // [T, (h + 1)*Kv]
    }
    out = concat_rows(out, out_b, tape);
  }
  return out;  // [N, H*Kv]
}

Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionRule& rule,
                 Tape* tape) {
  check(q, k, v, rule);
  if (rule.trace != nullptr || !fused_enabled()) {
    return attention_composite(q, k, v, rule, tape);
  }
  Tensor out = Tensor::empty({q.rows(), v.cols()}, q.dtype());              // [N, H*Kv]
  Tensor lse = Tensor::empty({q.rows(), rule.heads}, sum_type(q.dtype()));  // [N, H]
  kernels::Attention call = describe(q, k, v, rule);
  call.out = out;
  call.lse = lse;
  backend_of(q).attention(call);
  record(tape, out, {&q, &k, &v}, [q, k, v, rule, out, lse](Backward& b) {
    kernels::AttentionGradient gradient{.forward = describe(q, k, v, rule)};
    gradient.forward.out = out;
    gradient.forward.lse = lse;
    const Tensor d_out = b.d_output();
    gradient.d_out = d_out;
    Tensor unused_q, unused_k, unused_v;
    if (!b.wants(0)) gradient.d_q = unused_q = Tensor::empty(q.shape(), q.dtype());
    if (!b.wants(1)) gradient.d_k = unused_k = Tensor::empty(k.shape(), k.dtype());
    if (!b.wants(2)) gradient.d_v = unused_v = Tensor::empty(v.shape(), v.dtype());
    b.write_all([&](std::span<const Tensor> d) {
      if (d[0]) gradient.d_q = d[0];
      if (d[1]) gradient.d_k = d[1];
      if (d[2]) gradient.d_v = d[2];
      backend_of(q).d_attention(gradient);
    });
  });
  return out;
}

}  // namespace weft::ops
