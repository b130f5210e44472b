#include "weft/ops/fused/attention.h"

#include <algorithm>
#include <limits>

#include "weft/kernels/attention.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
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

int64_t key_heads_of(const AttentionRule& rule) {
  return rule.key_heads == 0 ? rule.heads : rule.key_heads;
}

// The positions of rows, null where they are indices in the sentences.
const int32_t* positions_of(const Rows& rows) {
  const Segments& segments = rows.segments;
  for (int64_t b = 0; b < segments.count(); ++b) {
    for (int32_t i = segments.begin(b); i < segments.end(b); ++i) {
      if (rows.position[i] != i - segments.begin(b)) return rows.position.data();
    }
  }
  return nullptr;
}

void check(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionRule& rule) {
  const int64_t key_heads = key_heads_of(rule);
  if (rule.heads < 1 || q.cols() % rule.heads != 0) {
    fail<ShapeError>("attention", "{} heads do not divide {} columns of q", rule.heads, q.cols());
  }
  if (key_heads < 1 || rule.heads % key_heads != 0 || v.cols() % key_heads != 0) {
    fail<ShapeError>("attention", "{} heads of keys do not divide {} heads and {} columns of v",
                     key_heads, rule.heads, v.cols());
  }
  check_shape("attention", "q", q, rule.queries->count(), -1);
  check_shape("attention", "k", k, rule.keys->count(), q.cols() / rule.heads * key_heads);
  check_shape("attention", "v", v, rule.keys->count(), -1);
  check_site(rule.dropout, q);
  const auto heads = static_cast<size_t>(rule.heads);
  if (rule.bias.slopes != nullptr && rule.bias.slopes->size() != heads) {
    fail<ShapeError>("attention", "{} slopes for {} heads", rule.bias.slopes->size(), heads);
  }
  if (rule.bias.table && rule.bias.table.rows() % 2 == 0) {
    fail<ShapeError>("attention", "expected a bias table of an odd number of rows, got {}",
                     rule.bias.table.rows());
  }
  if (rule.bias.table) check_shape("attention", "the bias table", rule.bias.table, -1, rule.heads);
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
  a.q_offsets = rule.queries->segments.offsets;
  a.k_offsets = rule.keys->segments.offsets;
  a.heads = rule.heads;
  a.key_heads = rule.key_heads;
  a.scale = rule.scale;
  a.causal = rule.causal;
  a.dropout = rule.dropout.mask;
  a.pattern = rule.pattern;
  a.function = rule.function;
  a.bias = rule.bias.view();
  // Where nothing reads positions, no row's may choose the kernel for its batch.
  if (rule.causal || rule.pattern.is_bounded() || a.bias) {
    a.q_position = positions_of(*rule.queries);
    a.k_position = positions_of(*rule.keys);
  }
  return a;
}

// One sentence's positions on both sides.
struct Sides {
  std::span<const int32_t> queries, keys;

  Sides(const AttentionRule& rule, int64_t b)
      : queries(rule.queries->segments.span(rule.queries->position, b)),
        keys(rule.keys->segments.span(rule.keys->position, b)) {}
};

// What the rule adds to the scores [T, S] of one head, but for the table: -infinity where a key is
// masked.
Tensor fixed_bias(const AttentionRule& rule, const Sides& sides, int64_t head, DType dtype) {
  Tensor bias = Tensor::zeros({std::ssize(sides.queries), std::ssize(sides.keys)}, dtype);
  for (int64_t i = 0; i < bias.rows(); ++i) {
    for (int64_t j = 0; j < bias.cols(); ++j) {
      const int32_t query = sides.queries[i], key = sides.keys[j];
      double value = 0;
      if (rule.bias.slopes != nullptr)
        value -= double{(*rule.bias.slopes)[head]} * std::abs(key - query);
      if ((rule.causal && key > query) || !rule.pattern.allows(query, key)) {
        value = -std::numeric_limits<double>::infinity();
      }
      const Tensor element = bias.row_range(i, i + 1).col_range(j, j + 1);
      if (value != 0) backend_of(bias)(kernels::Fill{.y = element, .value = value});
    }
  }
  return bias;
}

// The table's rows for every pair of one head, [T, S]: products with unit vectors.
Tensor table_bias(const AttentionRule& rule, const Sides& sides, int64_t head, Tape* tape) {
  const Tensor column = slice_cols(rule.bias.table, head, head + 1, tape);  // [2R + 1, 1]
  const auto most = static_cast<int32_t>(column.rows() / 2);
  Tensor bias = Tensor::empty({0, std::ssize(sides.keys)}, column.dtype());
  for (const int32_t query : sides.queries) {
    const Tensor units = Tensor::zeros({column.rows(), bias.cols()}, column.dtype());
    for (int64_t j = 0; j < bias.cols(); ++j) {
      const int64_t row = std::clamp(sides.keys[j] - query, -most, most) + most;
      backend_of(units)(
          kernels::Fill{.y = units.row_range(row, row + 1).col_range(j, j + 1), .value = 1});
    }
    bias = concat_rows(bias, matmul(column, units, {.a = true}, tape), tape);
  }
  return bias;
}

// Dropout for the probabilities of one sentence and head.
DropoutSite site_of(const DropoutSite& site, int64_t head, const Rows& queries, int64_t sentence) {
  const int32_t begin = queries.segments.begin(sentence), end = queries.segments.end(sentence);
  const Rows& all = *site.rows;
  auto rows = std::make_shared<Rows>();
  rows->sentence.assign(all.sentence.begin() + begin, all.sentence.begin() + end);
  rows->position.assign(all.position.begin() + begin, all.position.begin() + end);
  DropoutSite out = site;
  out.mask.site += static_cast<uint32_t>(head);
  out.mask.sentence = rows->sentence.data();
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

Tensor attention_scores(const Tensor& q, const Tensor& k, const AttentionRule& rule,
                        const SentenceHead& which, Tape* tape) {
  const auto part = [&](const Tensor& x, const Rows& rows, int64_t head) {
    const int64_t size = q.cols() / rule.heads;
    const Tensor y =
        slice_rows(x, rows.segments.begin(which.sentence), rows.segments.end(which.sentence), tape);
    return slice_cols(y, head * size, (head + 1) * size, tape);
  };
  const Sides sides(rule, which.sentence);
  const Tensor q_h = part(q, *rule.queries, which.head);                                   // [T, K]
  const Tensor k_h = part(k, *rule.keys, which.head / (rule.heads / key_heads_of(rule)));  // [S, K]
  Tensor scores = scale(matmul(q_h, k_h, {.b = true}, tape), rule.scale, tape);            // [T, S]
  if (rule.bias.table) scores = add(scores, table_bias(rule, sides, which.head, tape), tape);
  if (rule.causal || rule.pattern.is_bounded() || rule.bias.slopes != nullptr) {
    scores = add(scores, fixed_bias(rule, sides, which.head, q.dtype()), tape);
  }
  return scores;
}

Tensor attention_composite(const Tensor& q, const Tensor& k, const Tensor& v,
                           const AttentionRule& rule, Tape* tape) {
  check(q, k, v, rule);
  const int64_t group = rule.heads / key_heads_of(rule);
  const int64_t value_size = v.cols() / key_heads_of(rule);
  Tensor out = Tensor::empty({0, rule.heads * value_size}, q.dtype());
  const Segments &queries = rule.queries->segments, &keys = rule.keys->segments;
  for (int64_t b = 0; b < queries.count(); ++b) {
    const Tensor v_b = slice_rows(v, keys.begin(b), keys.end(b), tape);  // [S, G*Kv]
    const int64_t targets = queries.length(b);
    Tensor out_b = Tensor::empty({targets, 0}, q.dtype());
    for (int64_t h = 0; h < rule.heads; ++h) {
      const int64_t g = h / group;
      const Tensor v_h = slice_cols(v_b, g * value_size, (g + 1) * value_size, tape);
      const Tensor scores = attention_scores(q, k, rule, {b, h}, tape);  // [T, S]
      Tensor p = attention_probabilities(scores, rule.function, tape);   // [T, S]
      if (rule.dropout) p = dropout(p, site_of(rule.dropout, h, *rule.queries, b), tape);
      out_b = concat_cols(out_b, matmul(p, v_h, {}, tape), tape);  // [T, (h + 1)*Kv]
    }
    out = concat_rows(out, out_b, tape);
  }
  return out;  // [N, H*Kv]
}

Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionRule& rule,
                 Tape* tape) {
  check(q, k, v, rule);
  if (!fused_enabled()) return attention_composite(q, k, v, rule, tape);
  const int64_t value_size = v.cols() / key_heads_of(rule);
  Tensor out = Tensor::empty({q.rows(), rule.heads * value_size}, q.dtype());  // [N, H*Kv]
  kernels::Attention call = describe(q, k, v, rule);
  Tensor lse;
  if (call.is_plain()) lse = Tensor::empty({q.rows(), rule.heads}, sum_type(q.dtype()));  // [N, H]
  call.out = out;
  if (lse) call.lse = lse;
  backend_of(q)(call);
  record(tape, out, {&q, &k, &v, &rule.bias.table}, [q, k, v, rule, out, lse](Backward& b) {
    kernels::AttentionBackward gradient{.forward = describe(q, k, v, rule)};
    gradient.forward.out = out;
    if (lse) gradient.forward.lse = lse;
    const Tensor d_out = b.d_output();
    gradient.d_out = d_out;
    b.write_all([&](std::span<const Tensor> d) {
      const Tensor d_q = autograd::or_room(d[0], q), d_k = autograd::or_room(d[1], k),
                   d_v = autograd::or_room(d[2], v);
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
