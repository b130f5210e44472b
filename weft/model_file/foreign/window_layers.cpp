#include "weft/model_file/foreign/window_layers.h"

#include <algorithm>
#include <optional>

#include "weft/nn/attention/kind.h"

namespace weft::model_file {
namespace {

bool is_those(const nn::FullLayers& layers, const std::vector<bool>& is_full) {
  for (size_t i = 0; i < is_full.size(); ++i) {
    if (layers.has(static_cast<int64_t>(i)) != is_full[i]) return false;
  }
  return true;
}

// The lowest ones, or else those at equal distances.
std::optional<nn::FullLayers> full_layers_of(const std::vector<bool>& is_full) {
  const auto first_window = std::ranges::find(is_full, false);
  const nn::FullLayers lowest{.lowest = first_window - is_full.begin()};
  if (is_those(lowest, is_full)) return lowest;
  const auto first = std::ranges::find(is_full, true);
  const auto second = std::find(first + 1, is_full.end(), true);
  const nn::FullLayers periodic{
      .every = second == is_full.end() ? std::ssize(is_full) : second - first,
      .first = first - is_full.begin() + 1};
  return is_those(periodic, is_full) ? std::optional(periodic) : std::nullopt;
}

}  // namespace

bool WindowLayers::any() const { return std::ranges::find(is_full, false) != is_full.end(); }

void set_window_layers(const WindowLayers& layers, const std::string& where,
                       ImportedContents& out) {
  if (!layers.any()) return;
  const auto full = full_layers_of(layers.is_full);
  if (!full) {
    fail<FormatError>(where, "expected full attention in the lowest layers or at equal distances");
  }
  out.set("attention", "local", where);
  out.set("attention-window", layers.window - 1, where);
  out.set("attention-full-every", full->every, where);
  out.set("attention-full-first", full->first, where);
  out.set("attention-full-lowest", full->lowest, where);
}

WindowLayers window_layers_of(const Json& options, const char* depth) {
  const auto number = [&](const char* option, int64_t missing) {
    return options.value(option, missing);
  };
  const nn::FullLayers full{.every = number("attention-full-every", 0),
                            .first = number("attention-full-first", 1),
                            .lowest = number("attention-full-lowest", 0)};
  const bool is_local = options.at("attention") == "local";
  WindowLayers out{.is_full = {}, .window = is_local ? number("attention-window", 0) + 1 : 0};
  for (int64_t layer = 0; layer < number(depth, 0); ++layer) {
    out.is_full.push_back(!is_local || full.has(layer));
  }
  return out;
}

}  // namespace weft::model_file
