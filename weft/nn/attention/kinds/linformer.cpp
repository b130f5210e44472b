#include "weft/nn/attention/kinds/linformer.h"

#include <numeric>

#include "weft/nn/attention/config.h"
#include "weft/nn/table.h"
#include "weft/ops/matmul.h"
#include "weft/ops/slice.h"

namespace weft::nn {
namespace {

// mix[0:n]^T x_b for each sequence b of n rows, below each other: [B*k, cols].
Tensor mixed(const Parameter& mix, const Tensor& x, const ops::Layout& rows, autograd::Tape* tape) {
  if (rows.sequences() == 0) return Tensor::zeros({0, x.cols()}, x.dtype());
  int32_t longest = 0;
  for (int64_t b = 0; b < rows.sequences(); ++b) {
    longest = std::max(longest, rows.segments.length(b));
  }
  std::vector<int32_t> places(static_cast<size_t>(longest));
  std::iota(places.begin(), places.end(), 0);
  const Tensor shares = look_up(mix, ops::make_ids(std::move(places)), 1, tape);
  std::vector<Tensor> parts;
  const int64_t keys = mix.shape.cols();
  for (int64_t b = 0; b < rows.sequences(); ++b) {
    const int32_t begin = rows.segments.begin(b), end = rows.segments.end(b);
    if (begin == end) {
      parts.push_back(Tensor::zeros({keys, x.cols()}, x.dtype()));
      continue;
    }
    parts.push_back(ops::matmul(ops::slice_rows(shares, 0, end - begin, tape),
                                ops::slice_rows(x, begin, end, tape), {.a = true}, tape));
  }
  return ops::stack_rows(parts, tape);
}

}  // namespace

LinformerAttention::LinformerAttention(int64_t keys, int64_t max_positions)
    : key_mix({max_positions, keys}, Init::kNormal),
      value_mix({max_positions, keys}, Init::kNormal) {}

Tensor LinformerAttention::forward(const SelfInput& in, const Context& context) const {
  const ops::Layout& rows = *in.self.rows;
  if (in.self.causal) {
    fail<ShapeError>("linformer",
                     "mixes keys of whole sequences; expected rows that are not causal");
  }
  check_positions("linformer", rows, key_mix.shape.rows());
  const ops::LayoutPtr keys =
      ops::make_layout(Segments::uniform(rows.sequences(), key_mix.shape.cols()));
  const Tensor k = mixed(key_mix, in.k, rows, context.tape);    // [B*k, G*K]
  const Tensor v = mixed(value_mix, in.v, rows, context.tape);  // [B*k, G*Kv]
  return ops::attention(in.q, k, v, full_params(in.config, in.self.rows, keys, context),
                        context.tape);
}

}  // namespace weft::nn
