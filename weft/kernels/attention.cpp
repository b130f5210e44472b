#include "weft/kernels/attention.h"

#include <algorithm>

namespace weft::kernels {

Cost Attention::cost() const {
  double pairs = 0;
  for (size_t b = 0; b + 1 < q_offsets.size(); ++b) {
    const double queries = q_offsets[b + 1] - q_offsets[b];
    const double keys = k_offsets[b + 1] - k_offsets[b];
    const double shorter = std::min(queries, keys);
    pairs += causal ? shorter * (shorter + 1) / 2 + (queries - shorter) * keys : queries * keys;
  }
  return {2 * pairs * static_cast<double>(q.cols + out.cols), bytes_of({q, k, v, out})};
}

Cost AttentionBackward::cost() const {
  const Cost forward_cost = forward.cost();
  return {2.5 * forward_cost.flop, forward_cost.bytes + bytes_of({d_out, d_q, d_k, d_v})};
}

}  // namespace weft::kernels
