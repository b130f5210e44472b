#include "weft/nn/low_rank.h"

#include <algorithm>
#include <cmath>

#include "weft/core/error.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/kernels/gemm.h"
#include "weft/ops/dropout.h"
#include "weft/ops/fused/linear.h"
#include "weft/ops/fused/low_rank.h"
#include "weft/ops/scale.h"

namespace weft::nn {
namespace {

constexpr std::string_view kWeight = ".weight";
constexpr std::string_view kLinearMaps[] = {"q_proj", "k_proj", "v_proj", "out_proj",
                                            "gate",   "fc1",    "fc2"};

bool is_linear_map(const NamedParameter& p) {
  if (!p.parameter->is_matrix()) return false;
  return std::ranges::any_of(kLinearMaps, [&](std::string_view map) {
    return p.name.ends_with("." + std::string(map) + std::string(kWeight));
  });
}

std::string name_beside(std::string_view weight, std::string_view part) {
  return std::string(weight.substr(0, weight.size() - kWeight.size())).append(part);
}

// Kaiming's uniform distribution as PEFT draws it: within +-1 / sqrt(D_in).
Parameter initial_down(int64_t rank, int64_t in) {
  Parameter out({rank, in}, Init::kGlorot);
  out.gain = std::sqrt(static_cast<double>(rank + in) / (6 * static_cast<double>(in)));
  return out;
}

// Weights of one product have updates of one adapter, with one scale and one dropout.
const LowRank& first_update(ContiguousParameters weights) {
  const auto has_update = [](const Parameter* w) { return !w->low_rank.empty(); };
  return (*std::ranges::find_if(weights, has_update))->low_rank.front();
}

}  // namespace

std::vector<NamedParameter> linear_maps(const std::vector<NamedParameter>& parameters) {
  std::vector<NamedParameter> out;
  std::ranges::copy_if(parameters, std::back_inserter(out), is_linear_map);
  return out;
}

std::string down_name(std::string_view weight) { return name_beside(weight, ".lora_a.weight"); }
std::string up_name(std::string_view weight) { return name_beside(weight, ".lora_b.weight"); }

void add_low_rank(const std::vector<NamedParameter>& parameters,
                  const std::vector<LowRankTarget>& targets, const LowRankParams& params) {
  const std::vector<NamedParameter> maps = linear_maps(parameters);
  for (const NamedParameter& p : parameters) p.parameter->freeze();
  for (const LowRankTarget& target : targets) {
    const auto map = std::ranges::find(maps, target.name, &NamedParameter::name);
    if (map == maps.end()) {
      fail<OptionError>("low-rank update", "'{}' is no linear map of the model", target.name);
    }
    Parameter& weight = *map->parameter;
    if (!weight.low_rank.empty()) {
      fail<OptionError>("low-rank update", "'{}' has one already", target.name);
    }
    const auto stream = kLowRankStreams + static_cast<uint32_t>(map - maps.begin());
    weight.low_rank.push_back({.down = initial_down(target.rank, weight.shape.cols()),
                               .up = Parameter({weight.shape.rows(), target.rank}, Init::kZeros),
                               .scale = params.scale,
                               .dropout = {params.dropout, stream}});
  }
}

std::vector<NamedParameter> low_rank_parameters(const std::vector<NamedParameter>& parameters) {
  std::vector<NamedParameter> out;
  for (const auto& [name, p] : parameters) {
    for (LowRank& update : p->low_rank) out.push_back({down_name(name), &update.down});
  }
  for (const auto& [name, p] : parameters) {
    for (LowRank& update : p->low_rank) out.push_back({up_name(name), &update.up});
  }
  return out;
}

void merge_low_rank(const std::vector<NamedParameter>& parameters) {
  for (const auto& [name, p] : parameters) {
    for (const LowRank& update : p->low_rank) {
      const auto& backend = backend_of(p->value);
      const Tensor up = Tensor::empty(update.up.shape);
      backend(kernels::Scale{.alpha = update.scale, .x = update.up.value, .y = up});
      backend(kernels::Gemm{.a = up, .b = update.down.value, .c = p->value, .beta = 1});
    }
    p->low_rank.clear();
  }
}

bool has_low_rank(ContiguousParameters weights) {
  return std::ranges::any_of(weights, [](const Parameter* w) { return !w->low_rank.empty(); });
}

ops::DropoutParams low_rank_dropout(ContiguousParameters weights, const ops::LayoutPtr& rows,
                                    const Context& context) {
  const Dropout& dropout = first_update(weights).dropout;
  if (!context.training || dropout.p == 0) return {};
  return ops::make_dropout(dropout.p, context.key, dropout.stream + (context.pass << 24), rows);
}

Tensor with_low_rank(const Tensor& y, const Tensor& x, ContiguousParameters weights,
                     const ops::DropoutParams& dropout, autograd::Tape* tape) {
  std::vector<const Parameter*> downs;
  std::vector<ops::LowRankPart> parts;
  int64_t y_begin = 0, h_begin = 0;
  for (const Parameter* w : weights) {
    for (const LowRank& update : w->low_rank) {
      downs.push_back(&update.down);
      parts.push_back({update.up.value, h_begin, y_begin});
      h_begin += update.up.shape.cols();
    }
    y_begin += w->shape.rows();
  }
  const Tensor down = fused_weight(downs);  // [sum of r, D_in]
  const Tensor h = ops::linear(ops::dropout(x, dropout, tape), {down, Tensor()},
                               ops::Activation::kNone, tape);  // [N, sum of r]
  return ops::add_low_rank(y, ops::scale(h, first_update(weights).scale, tape), parts, tape);
}

}  // namespace weft::nn
