#include "weft/inspect/ablation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "weft/core/error.h"
#include "weft/inspect/inspection.h"
#include "weft/nn/attention/pruning.h"

namespace weft::inspect {
namespace {

// A dense copy of a matrix without the columns of a head.
Tensor without_head(const Tensor& weight, int64_t head, int64_t size) {
  Tensor out = Tensor::empty(weight.shape());
  for (int64_t i = 0; i < weight.rows(); ++i) {
    const float* row = weight.data<float>() + i * weight.stride();
    float* to = out.data<float>() + i * out.cols();
    std::copy(row, row + weight.cols(), to);
    std::fill(to + head * size, to + (head + 1) * size, 0.0F);
  }
  return out;
}

}  // namespace

// The prefix is ".model.encoder.layers.0.self_attn".
void AttentionCollector::add(nn::MultiHeadAttention& attention) {
  AttentionModule& module = found.emplace_back();
  module.attention = &attention;
  const std::optional<nn::AttentionKey> key = nn::attention_named(prefix_);
  if (!key) fail<Error>("inspect", "no attention has the name {}", prefix_);
  module.stack = key->stack;
  module.role = key->role;
  module.layer = key->layer;
}

Ablation ablate(const std::vector<AttentionModule>& attentions,
                const std::function<double()>& loss) {
  const auto finite_loss = [&] {
    const double value = loss();
    if (!std::isfinite(value)) fail<NumericError>("--ablate", "the loss is not a finite number");
    return value;
  };
  Ablation out{.loss = finite_loss(), .heads = {}};
  for (const AttentionModule& module : attentions) {
    nn::Parameter& weight = module.attention->out_proj.weight;  // [D, H*Kv]
    const nn::AttentionConfig& config = module.attention->config;
    const Tensor whole = weight.value;
    const auto numbers = nn::remaining_heads(config.all_heads(), config.pruned);
    for (int64_t head = 0; head < config.heads; ++head) {
      weight.value = without_head(whole, head, config.value_size);
      const int64_t number = numbers[static_cast<size_t>(head)];
      out.heads.push_back({module.stack, module.role, module.layer, number, finite_loss()});
    }
    weight.value = whole;
  }
  return out;
}

std::string Ablation::text() const {
  std::string out = fmt::format("loss of the whole model: {:.4f}\n\n{:<20}{:>7}{:>7}{:>12}{:>12}\n",
                                loss, "without", "layer", "head", "loss", "difference");
  std::vector<HeadLoss> sorted = heads;
  std::ranges::stable_sort(sorted, std::greater(), &HeadLoss::loss);
  for (const HeadLoss& h : sorted) {
    out += fmt::format("{:<20}{:>7}{:>7}{:>12.4f}{:>+12.4f}\n",
                       fmt::format("{} {}", h.stack, name_of(h.role)), h.layer + 1, h.head + 1,
                       h.loss, h.loss - loss);
  }
  return out;
}

}  // namespace weft::inspect
