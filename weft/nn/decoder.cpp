#include "weft/nn/decoder.h"

namespace weft::nn {

void Decoder::prefill_cross(const Memory& memory, KvCache& cache) const {
  std::visit([&](const auto& k) { k.prefill_cross(memory, cache); }, kind);
}

std::vector<ops::AttentionPattern> Decoder::cache_layers() const {
  return std::visit([](const auto& k) { return k.cache_layers(); }, kind);
}

bool Decoder::keeps_state() const {
  const auto* const stack = std::get_if<Stack>(&kind);
  return stack == nullptr || stack->keeps_state();
}

int64_t Decoder::cross_attentions() const {
  return std::visit([](const auto& k) { return k.cross_attentions(); }, kind);
}

Tensor Decoder::forward(Tensor x, const StackRows& rows, const Memory& memory,
                        const Context& context) const {
  if (const auto* stack = std::get_if<Stack>(&kind))
    return stack->forward(std::move(x), rows, memory, context);
  return std::get<RecurrentDecoder>(kind).forward(x, rows.rows, memory, context);
}

Tensor Decoder::forward(Tensor x, const StackRows& rows, const KvCache& memory,
                        const Context& context) const {
  if (const auto* stack = std::get_if<Stack>(&kind))
    return stack->forward(std::move(x), rows, memory, context);
  fail<Error>("decoder", "is recurrent; expected one that decodes all positions at once");
}

Tensor Decoder::prefill(Tensor x, const StackRows& rows, KvCache& cache,
                        const Context& context) const {
  if (const auto* stack = std::get_if<Stack>(&kind))
    return stack->prefill(std::move(x), rows, cache, context);
  return std::get<RecurrentDecoder>(kind).prefill(x, cache, context);
}

Tensor Decoder::step(Tensor x, const StackRows& rows, KvCache& cache,
                     const Context& context) const {
  if (const auto* stack = std::get_if<Stack>(&kind))
    return stack->step(std::move(x), rows, cache, context);
  return std::get<RecurrentDecoder>(kind).step(x, cache, context);
}

}  // namespace weft::nn
