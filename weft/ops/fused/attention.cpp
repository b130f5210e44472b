#include "weft/ops/fused/attention.h"

#include <algorithm>
#include <limits>

#include "weft/kernels/attention.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/ops/activation.h"
#include "weft/ops/add.h"
#include "weft/ops/attention_probabilities.h"
#include "weft/ops/dropout.h"
#include "weft/ops/fused/enabled.h"
#include "weft/ops/matmul.h"
#include "weft/ops/scale.h"
#include "weft/ops/slice.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

namespace {

int64_t key_heads_of(const AttentionParams& params) {
  return params.key_heads == 0 ? params.heads : params.key_heads;
}

// The positions of rows, null where they are indices in the sequences.
const int32_t* positions_of(const Layout& rows) {
  const Segments& segments = rows.segments;
  for (int64_t b = 0; b < segments.count(); ++b) {
    for (int32_t i = segments.begin(b); i < segments.end(b); ++i) {
      if (rows.position[i] != i - segments.begin(b)) return rows.position.data();
    }
  }
  return nullptr;
}

void check(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionParams& params) {
  const int64_t key_heads = key_heads_of(params);
  if (params.heads < 1 || q.cols() % params.heads != 0) {
    fail<ShapeError>("attention", "{} heads do not divide {} columns of q", params.heads, q.cols());
  }
  if (key_heads < 1 || params.heads % key_heads != 0 || v.cols() % key_heads != 0) {
    fail<ShapeError>("attention", "{} heads of keys do not divide {} heads and {} columns of v",
                     key_heads, params.heads, v.cols());
  }
  check_shape("attention", "q", q, params.queries->count(), -1);
  check_shape("attention", "k", k, params.keys->count(), q.cols() / params.heads * key_heads);
  check_shape("attention", "v", v, params.keys->count(), -1);
  check_dropout(params.dropout, q);
  const auto heads = static_cast<size_t>(params.heads);
  if (params.bias.slopes != nullptr && params.bias.slopes->size() != heads) {
    fail<ShapeError>("attention", "{} slopes for {} heads", params.bias.slopes->size(), heads);
  }
  if (params.bias.table && params.bias.table.rows() % 2 == 0) {
    fail<ShapeError>("attention", "expected a bias table of an odd number of rows, got {}",
                     params.bias.table.rows());
  }
  if (params.bias.table)
    check_shape("attention", "the bias table", params.bias.table, -1, params.heads);
  if (params.queries->sequences() != params.keys->sequences()) {
    fail<ShapeError>("attention", "{} sequences of queries for {} of keys",
                     params.queries->sequences(), params.keys->sequences());
  }
}

// The kernels' description of the same call.
kernels::Attention describe(const Tensor& q, const Tensor& k, const Tensor& v,
                            const AttentionParams& params) {
  kernels::Attention a;
  a.q = q;
  a.k = k;
  a.v = v;
  a.q_offsets = params.queries->segments.offsets;
  a.k_offsets = params.keys->segments.offsets;
  a.heads = params.heads;
  a.key_heads = params.key_heads;
  a.scale = params.scale;
  a.causal = params.causal;
  a.dropout = params.dropout.mask;
  a.pattern = params.pattern;
  a.function = params.function;
  a.soft_cap = params.soft_cap;
  a.bias = params.bias.view();
  // Where nothing reads positions, no row's may choose the kernel for its batch.
  if (params.causal || params.pattern.is_bounded() || a.bias) {
    a.q_position = positions_of(*params.queries);
    a.k_position = positions_of(*params.keys);
  }
  return a;
}

// The positions of the queries and of the keys of one sequence.
struct SequencePositions {
  std::span<const int32_t> queries, keys;

  SequencePositions(const AttentionParams& params, int64_t b)
      : queries(params.queries->segments.span(params.queries->position, b)),
        keys(params.keys->segments.span(params.keys->position, b)) {}
};

// What the parameters add to the scores [T, S] of one head, but for the table: -infinity where a
// key is masked.
Tensor fixed_bias(const AttentionParams& params, const SequencePositions& positions, int64_t head,
                  DType dtype) {
  Tensor bias = Tensor::zeros({std::ssize(positions.queries), std::ssize(positions.keys)}, dtype);
  for (int64_t i = 0; i < bias.rows(); ++i) {
    for (int64_t j = 0; j < bias.cols(); ++j) {
      const int32_t query = positions.queries[i], key = positions.keys[j];
      double value = 0;
      if (params.bias.slopes != nullptr)
        value -= double{(*params.bias.slopes)[head]} * std::abs(key - query);
      if ((params.causal && key > query) || !params.pattern.allows(query, key)) {
        value = -std::numeric_limits<double>::infinity();
      }
      const Tensor element = bias.row_range(i, i + 1).col_range(j, j + 1);
      if (value != 0) backend_of(bias)(kernels::Fill{.y = element, .value = value});
    }
  }
  return bias;
}

// The table's rows for every pair of one head, [T, S]: products with unit vectors.
Tensor table_bias(const AttentionParams& params, const SequencePositions& positions, int64_t head,
                  Tape* tape) {
  const Tensor column = slice_cols(params.bias.table, head, head + 1, tape);  // [2R + 1, 1]
  const auto most = static_cast<int32_t>(column.rows() / 2);
  Tensor bias = Tensor::empty({0, std::ssize(positions.keys)}, column.dtype());
  for (const int32_t query : positions.queries) {
    const Tensor units = Tensor::zeros({column.rows(), bias.cols()}, column.dtype());
    for (int64_t j = 0; j < bias.cols(); ++j) {
      const int64_t row = std::clamp(positions.keys[j] - query, -most, most) + most;
      backend_of(units)(
          kernels::Fill{.y = units.row_range(row, row + 1).col_range(j, j + 1), .value = 1});
    }
    bias = concat_rows(bias, matmul(column, units, {.a = true}, tape), tape);
  }
  return bias;
}

// Dropout for the probabilities of one sequence and head.
DropoutParams dropout_of(const DropoutParams& drop, int64_t head, const Layout& queries,
                         int64_t sequence) {
  const int32_t begin = queries.segments.begin(sequence), end = queries.segments.end(sequence);
  const Layout& all = *drop.rows;
  auto rows = std::make_shared<Layout>();
  rows->sequence.assign(all.sequence.begin() + begin, all.sequence.begin() + end);
  rows->position.assign(all.position.begin() + begin, all.position.begin() + end);
  DropoutParams out = drop;
  out.mask.stream += static_cast<uint32_t>(head);
  out.mask.sequence = rows->sequence.data();
  out.mask.position = rows->position.data();
  out.rows = std::move(rows);
  return out;
}

}  // namespace

kernels::ScoreBias PositionBias::view() const {
  kernels::ScoreBias out;
  if (table) out.table = table;
  if (slopes != nullptr) out.slopes = *slopes;
  return out;
}

Tensor attention_scores(const Tensor& q, const Tensor& k, const AttentionParams& params,
                        const SequenceHead& which, Tape* tape) {
  const auto part = [&](const Tensor& x, const Layout& rows, int64_t head) {
    const int64_t size = q.cols() / params.heads;
    const Tensor y =
        slice_rows(x, rows.segments.begin(which.sequence), rows.segments.end(which.sequence), tape);
    return slice_cols(y, head * size, (head + 1) * size, tape);
  };
  const SequencePositions positions(params, which.sequence);
  const Tensor q_h = part(q, *params.queries, which.head);  // [T, K]
  const Tensor k_h =
      part(k, *params.keys, which.head / (params.heads / key_heads_of(params)));   // [S, K]
  Tensor scores = scale(matmul(q_h, k_h, {.b = true}, tape), params.scale, tape);  // [T, S]
  scores = soft_cap(scores, params.soft_cap, tape);
  if (params.bias.table)
    scores = add(scores, table_bias(params, positions, which.head, tape), tape);
  if (params.causal || params.pattern.is_bounded() || params.bias.slopes != nullptr) {
    scores = add(scores, fixed_bias(params, positions, which.head, q.dtype()), tape);
  }
  return scores;
}

Tensor attention_composite(const Tensor& q, const Tensor& k, const Tensor& v,
                           const AttentionParams& params, Tape* tape) {
  check(q, k, v, params);
  const int64_t group = params.heads / key_heads_of(params);
  const int64_t value_size = v.cols() / key_heads_of(params);
  Tensor out = Tensor::empty({0, params.heads * value_size}, q.dtype());
  const Segments &queries = params.queries->segments, &keys = params.keys->segments;
  for (int64_t b = 0; b < queries.count(); ++b) {
    const Tensor v_b = slice_rows(v, keys.begin(b), keys.end(b), tape);  // [S, G*Kv]
    const int64_t targets = queries.length(b);
    Tensor out_b = Tensor::empty({targets, 0}, q.dtype());
    for (int64_t h = 0; h < params.heads; ++h) {
      const int64_t g = h / group;
      const Tensor v_h = slice_cols(v_b, g * value_size, (g + 1) * value_size, tape);
      const Tensor scores = attention_scores(q, k, params, {b, h}, tape);  // [T, S]
      Tensor p = attention_probabilities(scores, params.function, tape);   // [T, S]
      if (params.dropout) p = dropout(p, dropout_of(params.dropout, h, *params.queries, b), tape);
      out_b = concat_cols(out_b, matmul(p, v_h, {}, tape), tape);  // [T, (h + 1)*Kv]
    }
    out = concat_rows(out, out_b, tape);
  }
  return out;  // [N, H*Kv]
}

Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionParams& params,
                 Tape* tape) {
  check(q, k, v, params);
  if (!fused_enabled()) return attention_composite(q, k, v, params, tape);
  const int64_t value_size = v.cols() / key_heads_of(params);
  Tensor out = Tensor::empty({q.rows(), params.heads * value_size}, q.dtype());  // [N, H*Kv]
  kernels::Attention call = describe(q, k, v, params);
  Tensor lse;
  if (call.is_plain())
    lse = Tensor::empty({q.rows(), params.heads}, sum_type(q.dtype()));  // [N, H]
  call.out = out;
  if (lse) call.lse = lse;
  backend_of(q)(call);
  record(tape, out, {&q, &k, &v, &params.bias.table}, [q, k, v, params, out, lse](Backward& b) {
    kernels::AttentionBackward gradient{.forward = describe(q, k, v, params)};
    gradient.forward.out = out;
    if (lse) gradient.forward.lse = lse;
    const Tensor d_out = b.d_output();
    gradient.d_out = d_out;
    b.write_all([&](std::span<const Tensor> d) {
      const Tensor d_q = autograd::or_scratch(d[0], q), d_k = autograd::or_scratch(d[1], k),
                   d_v = autograd::or_scratch(d[2], v);
      gradient.d_q = d_q, gradient.d_k = d_k, gradient.d_v = d_v;
      Tensor d_table;  // sums over rows
      if (d[3]) gradient.d_table = d_table = Tensor::zeros(d[3].shape(), sum_type(q.dtype()));
      backend_of(q)(gradient);
      if (d[3]) backend_of(q)(kernels::Copy{.x = d_table, .y = d[3]});
    });
  });
  return out;
}

}  // namespace weft::ops
