#include "weft/inspect/trace_maps.h"

#include <algorithm>
#include <tuple>

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
                                                         .heads = {}});
    for (const Tensor& head : trace.probabilities(key, index)) {
      maps.heads.push_back(dense_float(head));
    }
  }
  return out;
}

}  // namespace weft::inspect
