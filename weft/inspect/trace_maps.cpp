#include "weft/inspect/trace_maps.h"

#include <algorithm>
#include <tuple>

#include "weft/inspect/rollout.h"

namespace weft::inspect {
namespace {

Tensor dense_float(const Tensor& x) {
  Tensor out = Tensor::empty(x.shape());
  const Tensor values = x.dtype() == DType::kF32 ? x : x.to(DType::kF32);
  for (int64_t i = 0; i < x.rows(); ++i) {
    const float* row = values.data<float>() + i * values.stride();
    std::copy(row, row + x.cols(), out.data<float>() + i * x.cols());
  }
  return out;
}

// Adds the rollout to the maps of each stack's self-attention.
void add_rollouts(std::vector<AttentionMaps>& maps) {
  std::vector<AttentionMaps*> stack;
  const auto finish = [&] {
    std::vector<Tensor> means;
    means.reserve(stack.size());
    for (const AttentionMaps* layer : stack) means.push_back(mean_of(layer->heads));
    const std::vector<Tensor> all = rollout(means);
    for (size_t i = 0; i < stack.size(); ++i) stack[i]->rollout = all[i];
    stack.clear();
  };
  for (AttentionMaps& layer : maps) {
    if (layer.role != nn::AttentionRole::kSelf) continue;
    if (!stack.empty() && stack.front()->stack != layer.stack) finish();
    stack.push_back(&layer);
  }
  if (!stack.empty()) finish();
}

}  // namespace

std::vector<AttentionMaps> maps_of(const nn::AttentionTrace& trace, int64_t index,
                                   const AxesOf& axes) {
  std::vector<AttentionMaps> out;
  std::vector<nn::AttentionKey> keys = trace.keys();
  // The encoder first; self-attention before cross-attention.
  std::ranges::stable_sort(keys, [](const nn::AttentionKey& a, const nn::AttentionKey& b) {
    const bool first = a.stack == "encoder", second = b.stack == "encoder";
    return std::tuple(!first, a.stack, a.role) < std::tuple(!second, b.stack, b.role);
  });
  for (const nn::AttentionKey& key : keys) {
    const std::optional<MapAxes> sides = axes(key);
    if (!sides) continue;
    AttentionMaps& maps = out.emplace_back(AttentionMaps{.stack = std::string(key.stack),
                                                         .role = key.role,
                                                         .layer = key.layer,
                                                         .queries = sides->queries,
                                                         .keys = sides->keys,
                                                         .heads = {},
                                                         .rollout = {}});
    for (const Tensor& head : trace.probabilities(key, index)) {
      maps.heads.push_back(dense_float(head));
    }
  }
  add_rollouts(out);
  return out;
}

}  // namespace weft::inspect
