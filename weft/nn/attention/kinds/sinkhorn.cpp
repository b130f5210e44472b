#include "weft/nn/attention/kinds/sinkhorn.h"

#include <algorithm>

#include "weft/nn/attention/config.h"
#include "weft/ops/convert.h"
#include "weft/ops/fused/sinkhorn.h"
#include "weft/ops/matmul.h"
#include "weft/ops/reshape.h"
#include "weft/ops/rows/mean_rows.h"
#include "weft/ops/rows/select_rows.h"
#include "weft/ops/scale.h"
#include "weft/ops/slice.h"

namespace weft::nn {
namespace {

struct KeysAndValues {
  Tensor k, v;
};

// The means of blocks, a row each.
struct BlockMeans {
  Tensor q, k;  // [m, H*K]
};

// Blocks of x [n, K] mixed by weights [m, m]: [m*b, K].
Tensor mix_blocks(const Tensor& x, const Tensor& weights, int64_t block, autograd::Tape* tape) {
  const int64_t blocks = weights.rows(), padding = blocks * block - x.rows();
  Tensor whole = x;
  if (padding > 0) {
    whole = ops::concat_rows(x, Tensor::zeros({padding, x.cols()}, x.dtype()), tape);
  }
  const Tensor flat = ops::reshape(whole, {blocks, block * x.cols()}, tape);
  return ops::reshape(ops::matmul(weights, flat, {}, tape), whole.shape(), tape);
}

// The sorted keys and values [m*b, H*K], [m*b, H*Kv] of one sequence of keys and values.
KeysAndValues sorted(const SinkhornAttention& attention, const AttentionConfig& o,
                     const BlockMeans& means, const KeysAndValues& rows, autograd::Tape* tape) {
  const DType dtype = means.q.dtype();
  const auto head = [&](const Tensor& x, int64_t h, int64_t size) {
    return ops::slice_cols(x, h * size, (h + 1) * size, tape);
  };
  std::vector<Tensor> similarity;
  for (int64_t h = 0; h < o.heads; ++h) {
    similarity.push_back(ops::matmul(head(means.q, h, o.key_size), head(means.k, h, o.key_size),
                                     {.b = true}, tape));  // [m, m]
  }
  const Tensor scores = ops::convert(ops::scale(ops::stack_rows(similarity, tape), o.scale, tape),
                                     sum_type(dtype), tape);  // [H*m, m]
  const Tensor weights =
      ops::convert(ops::sinkhorn(scores, attention.steps, tape), dtype, tape);  // [H*m, m]
  const int64_t blocks = means.q.rows();
  KeysAndValues out;
  for (int64_t h = 0; h < o.heads; ++h) {
    const Tensor own = ops::slice_rows(weights, h * blocks, (h + 1) * blocks, tape);
    const Tensor k = mix_blocks(head(rows.k, h, o.key_size), own, attention.block, tape);
    const Tensor v = mix_blocks(head(rows.v, h, o.value_size), own, attention.block, tape);
    out.k = h == 0 ? k : ops::concat_cols(out.k, k, tape);
    out.v = h == 0 ? v : ops::concat_cols(out.v, v, tape);
  }
  return out;
}

// The rows of each block's keys: rows of the sequences, and sorted rows, which follow them all.
struct Layout {
  std::vector<int32_t> numbers;
  Segments keys;
  std::shared_ptr<ops::Layout> queries = std::make_shared<ops::Layout>();
  int32_t sorted_rows = 0;
};

void lay_out(const ops::Layout& rows, int64_t sequence, int32_t block, Layout& to) {
  const int32_t begin = rows.segments.begin(sequence), end = rows.segments.end(sequence);
  const bool has_sorted = end - begin > block;
  for (int32_t from = begin; from < end; from += block) {
    for (int32_t n = from; n < std::min(from + block, end); ++n) {
      to.numbers.push_back(n);
      to.queries->position.push_back(n - from);
    }
    for (int32_t i = 0; has_sorted && i < block; ++i) {
      to.numbers.push_back(static_cast<int32_t>(rows.count()) + to.sorted_rows++);
    }
    to.keys.append(std::ssize(to.numbers) - to.keys.rows());
    to.queries->segments.append(std::min(block, end - from));
  }
}

}  // namespace

Tensor SinkhornAttention::forward(const SelfInput& in, const Context& context) const {
  if (in.self.causal) {
    fail<ShapeError>("sinkhorn",
                     "sorts by means of whole blocks; expected rows that are not causal");
  }
  autograd::Tape* tape = context.tape;
  const ops::Layout& rows = *in.self.rows;
  std::vector<Tensor> keys = {in.k}, values = {in.v};
  Layout layout;
  layout.queries->sequence = rows.sequence;
  for (int64_t b = 0; b < rows.sequences(); ++b) {
    lay_out(rows, b, static_cast<int32_t>(block), layout);
  }
  const BlockMeans means = {ops::mean_rows(in.q, layout.queries, tape),
                            ops::mean_rows(in.k, layout.queries, tape)};
  int64_t first = 0;  // block of the sequence
  for (int64_t b = 0; b < rows.sequences(); ++b) {
    const int64_t begin = rows.segments.begin(b), end = rows.segments.end(b);
    const int64_t from = first;
    first += (end - begin + block - 1) / block;
    if (end - begin <= block) continue;
    const auto part = [&](const Tensor& x) { return ops::slice_rows(x, from, first, tape); };
    const auto own = [&](const Tensor& x) { return ops::slice_rows(x, begin, end, tape); };
    const KeysAndValues extra =
        sorted(*this, in.config, {part(means.q), part(means.k)}, {own(in.k), own(in.v)}, tape);
    keys.push_back(extra.k);
    values.push_back(extra.v);
  }
  const auto count = static_cast<int64_t>(layout.numbers.size());
  const ops::Selection order = ops::make_selection(std::move(layout.numbers), count);
  const Tensor k = ops::select_rows(ops::stack_rows(keys, tape), order, tape);
  const Tensor v = ops::select_rows(ops::stack_rows(values, tape), order, tape);
  // Dropout numbers the rows by sequence, all else by block.
  ops::AttentionParams params =
      full_params(in.config, in.self.rows, ops::make_layout(std::move(layout.keys)), context);
  params.queries = layout.queries;
  return ops::attention(in.q, k, v, params, tape);
}

}  // namespace weft::nn
