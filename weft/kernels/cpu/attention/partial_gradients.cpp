#include "weft/kernels/cpu/attention/partial_gradients.h"

#include <algorithm>
#include <numeric>

#include "weft/kernels/elementwise.h"

namespace weft::kernels::cpu {
namespace {

constexpr int64_t kMaxGroups = 4, kMinGroup = 2048;  // of keys
constexpr int64_t kMaxParts = 4,
                  kMinSplitKeys = 512;  // short sequences are many and need no splitting

int64_t group_size(int64_t keys) {
  const int64_t equal_size = (keys + kMaxGroups - 1) / kMaxGroups;
  return std::max(kMinGroup, (equal_size + 127) / 128 * 128);
}

// Heads per item: a divisor of the number of heads that share a key head.
int64_t heads_per_item(int64_t keys, int64_t heads) {
  return keys < kMinSplitKeys ? heads : heads / std::gcd(heads, kMaxParts);
}

}  // namespace

View PartialGradients::Rows::partial(int64_t part, const View& gradient) {
  if (part == 0) return gradient;
  float* first = sums.data() + ((part - 1) * rows - begin) * gradient.cols;
  return {first, DType::kF32, gradient.rows, gradient.cols, gradient.cols, gradient.rows};
}

void PartialGradients::Rows::add_to(const View& gradient) {
  const int64_t end = begin + rows;
  for (int64_t part = 1; part < parts; ++part) {
    run(Accumulate{.alpha = 1,
                   .x = partial(part, gradient).range(begin, end),
                   .y = gradient.range(begin, end)});
  }
}

PartialGradients::PartialGradients(const AttentionBackward& g, bool split_keys) : g_(g) {
  const auto sequences = static_cast<int64_t>(g.forward.q_offsets.size()) - 1;
  for (int64_t b = 0; b < sequences; ++b) split(b, split_keys);
}

void PartialGradients::split(int64_t sequence, bool split_keys) {
  const Attention& a = g_.forward;
  const int64_t q_begin = a.q_offsets[sequence], queries = a.q_offsets[sequence + 1] - q_begin;
  const int64_t k_begin = a.k_offsets[sequence], keys = a.k_offsets[sequence + 1] - k_begin;
  const int64_t size = split_keys ? group_size(keys) : std::max<int64_t>(keys, 1);
  const int64_t groups = std::max<int64_t>(1, (keys + size - 1) / size);
  const int64_t heads = heads_per_item(keys, a.group()), parts = a.group() / heads;
  for (int64_t head = 0; head < a.heads; head += heads) {
    for (int64_t group = 0; group < groups; ++group) {
      items_.push_back({sequence, head, heads, group * size, std::min(keys, (group + 1) * size)});
    }
  }
  if (groups > 1) queries_.try_emplace(sequence, q_begin, queries, groups, a.q.cols);
  if (parts > 1) {
    keys_.try_emplace(sequence, k_begin, keys, parts, a.k.cols);
    values_.try_emplace(sequence, k_begin, keys, parts, a.v.cols);
  }
}

AttentionBackward PartialGradients::call_of(const GradientItem& item) {
  AttentionBackward call = g_;
  if (item.begin > 0) {
    const int64_t keys =
        g_.forward.k_offsets[item.sequence + 1] - g_.forward.k_offsets[item.sequence];
    call.d_q = queries_.at(item.sequence).partial(item.begin / group_size(keys), g_.d_q);
  }
  const int64_t part = item.head % g_.forward.group() / item.heads;
  if (part > 0) {
    call.d_k = keys_.at(item.sequence).partial(part, g_.d_k);
    call.d_v = values_.at(item.sequence).partial(part, g_.d_v);
  }
  return call;
}

void PartialGradients::accumulate() {
  for (auto& [sequence, rows] : queries_) rows.add_to(g_.d_q);
  for (auto& [sequence, rows] : keys_) rows.add_to(g_.d_k);
  for (auto& [sequence, rows] : values_) rows.add_to(g_.d_v);
}

}  // namespace weft::kernels::cpu
