#include "weft/tasks/distillation/taken_layers.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "weft/core/error.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"

namespace weft::tasks {
namespace {

constexpr const char* kTakeLayers = "--take-layers";
constexpr std::string_view kEncoderLayers = "model.encoder.layers.";

// The name in the model with all layers.
std::string name_before(const std::string& name, std::span<const int64_t> layers) {
  if (!name.starts_with(kEncoderLayers)) return name;
  size_t layer = 0;
  const char* const end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + kEncoderLayers.size(), end, layer);
  return std::string(kEncoderLayers) + std::to_string(layers[layer]) + std::string(rest, end);
}

void check_layers(const models::EncoderOptions& encoder, std::span<const int64_t> layers) {
  if (!encoder.is_transformer()) {
    fail<OptionError>(kTakeLayers, "is of Transformer layers; the model of --from has --type {}",
                      encoder.type.name());
  }
  for (size_t i = 0; i < layers.size(); ++i) {
    if (layers[i] >= encoder.enc_depth) {
      fail<OptionError>(kTakeLayers, "{}; the model of --from has layers 0 to {}", layers[i],
                        encoder.enc_depth - 1);
    }
    if (i > 0 && layers[i] <= layers[i - 1]) {
      fail<OptionError>(kTakeLayers, "{} after {}; expected ascending layers, each once", layers[i],
                        layers[i - 1]);
    }
  }
  const nn::TransformerOptions& transformer = encoder.transformer;
  const nn::FullLayers full = transformer.attention.kind.full_layers();
  bool has_same_attention = true;
  for (size_t i = 0; i < layers.size(); ++i) {
    has_same_attention &= full.has(layers[i]) == full.has(static_cast<int64_t>(i));
  }
  const char* reason = transformer.pruning.is_on()        ? "--prune-heads"
                       : !transformer.tied_layers.empty() ? "--tied-layers"
                       : !has_same_attention              ? "layers of full attention among others"
                                                          : nullptr;
  if (reason == nullptr) return;
  fail<OptionError>(kTakeLayers,
                    "the model of --from has {}, which go by the number of a layer; "
                    "expected a model without{}",
                    reason, has_same_attention ? "" : ", or layers that keep their attention");
}

}  // namespace

void take_layers(models::EncoderOptions& encoder, std::span<const int64_t> layers) {
  check_layers(encoder, layers);
  encoder.enc_depth = std::ssize(layers);
}

void copy_taken_layers(const std::vector<nn::NamedParameter>& from,
                       const std::vector<nn::NamedParameter>& to, std::span<const int64_t> layers) {
  for (const auto& [name, parameter] : to) {
    const std::string before = name_before(name, layers);
    const auto found = std::ranges::find(from, before, &nn::NamedParameter::name);
    if (found == from.end()) fail<ShapeError>(kTakeLayers, "no parameter {}", before);
    backend_of(parameter->value)(
        kernels::Copy{.x = found->parameter->value, .y = parameter->value});
  }
}

model_file::PretrainedEncoder with_layers(model_file::PretrainedEncoder encoder,
                                          std::span<const int64_t> layers) {
  if (layers.empty()) return encoder;
  models::TextEncoderOptions options = encoder.encoder.options;
  take_layers(options, layers);
  nn::RngStreams dropouts;
  models::TextEncoder model(options, encoder.encoder.dims, dropouts);
  const Tensor parameters = nn::bind(nn::parameters_of(model));
  copy_taken_layers(nn::parameters_of(encoder.encoder), nn::parameters_of(model), layers);
  encoder.encoder = std::move(model);
  encoder.parameters = parameters;
  return encoder;
}

}  // namespace weft::tasks
