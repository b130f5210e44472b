#include "weft/train/layer_depth.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "weft/core/error.h"

namespace weft::train {
namespace {

struct StackLayers {
  std::string name;
  int64_t depth = 0;
  size_t first = 0;  // the first parameter of a layer
};

constexpr std::string_view kLayers = ".layers.";

// "model.encoder" and 3, or "" and -1.
std::pair<std::string_view, int64_t> layer_in(std::string_view name) {
  const size_t found = name.find(kLayers);
  if (found == name.npos) return {{}, -1};
  const std::string_view rest = name.substr(found + kLayers.size());
  int64_t layer = -1;
  std::from_chars(rest.data(), rest.data() + rest.size(), layer);
  return {name.substr(0, found), layer};
}

std::vector<StackLayers> stacks_of(const std::vector<nn::NamedParameter>& parameters) {
  std::vector<StackLayers> out;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const auto [stack, layer] = layer_in(parameters[i].name);
    if (layer < 0) continue;
    auto found = std::ranges::find(out, stack, &StackLayers::name);
    if (found == out.end()) found = out.insert(out.end(), {std::string(stack), 0, i});
    found->depth = std::max(found->depth, layer + 1);
  }
  return out;
}

}  // namespace

std::vector<LayerDepth> layer_depths(const std::vector<nn::NamedParameter>& parameters) {
  const std::vector<StackLayers> stacks = stacks_of(parameters);
  int64_t deepest = 0;
  for (const StackLayers& stack : stacks) deepest = std::max(deepest, stack.depth);
  std::vector<LayerDepth> out(parameters.size());
  for (size_t i = 0; i < parameters.size(); ++i) {
    const std::string& name = parameters[i].name;
    const int64_t layer = layer_in(name).second;
    const auto stack = std::ranges::find_if(
        stacks, [&](const StackLayers& one) { return name.starts_with(one.name + "."); });
    if (stack != stacks.end()) {
      const int64_t outside = i < stack->first ? stack->depth + 1 : 1;
      out[i] = {stack->name, stack->depth, layer < 0 ? outside : stack->depth - layer};
    } else if (parameters[i].parameter->is_embedding && deepest > 0) {
      out[i].above = deepest + 1;
    }
  }
  return out;
}

void freeze_layers(const std::vector<nn::NamedParameter>& parameters,
                   std::optional<int64_t> layers) {
  if (!layers) return;
  constexpr std::string_view kOption = "--freeze-layers";
  const std::vector<LayerDepth> depths = layer_depths(parameters);
  const auto first =
      std::ranges::find_if(depths, [](const LayerDepth& one) { return !one.stack.empty(); });
  if (first == depths.end()) fail<OptionError>(kOption, "the model has no layers in a stack");
  if (*layers > first->depth) {
    fail<OptionError>(kOption, "expected at most {}, the layers of {}, got {}", first->depth,
                      first->stack, *layers);
  }
  for (size_t i = 0; i < depths.size(); ++i) {
    const bool is_of_stack = depths[i].stack == first->stack || depths[i].stack.empty();
    if (is_of_stack && depths[i].above > first->depth - *layers) parameters[i].parameter->freeze();
  }
}

}  // namespace weft::train
