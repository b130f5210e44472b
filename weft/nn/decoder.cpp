#include "weft/nn/decoder.h"

#include <type_traits>

namespace weft::nn {

void Decoder::remember(const Memory& memory, KvCache& cache) const {
  std::visit([&](const auto& k) { k.remember(memory, cache); }, kind);
}

int64_t Decoder::cache_layers() const {
  return std::visit([](const auto& k) { return k.cache_layers(); }, kind);
}

int64_t Decoder::cross_attentions() const {
  return std::visit([](const auto& k) { return k.cross_attentions(); }, kind);
}

Tensor Decoder::operator()(const Tensor& x, const ops::RowsPtr& rows,
                           const AttentionPosition& position, const Memory& memory,
                           const Context& context) const {
  return std::visit(
      [&]<class Kind>(const Kind& k) {
        if constexpr (std::is_same_v<Kind, Stack>) {
          return k(x, rows, position, memory, context);
        } else {
          return k(x, rows, memory, context);
        }
      },
      kind);
}

}  // namespace weft::nn
