#include "weft/nn/transformer/options.h"

#include <charconv>

#include "weft/core/error.h"

namespace weft::nn {
namespace {

// With factors in this range float32 results stay away from 0 and infinity.
constexpr double kMinResidualScale = 1e-6, kMaxResidualScale = 1e6;

}  // namespace

double TransformerOptions::residual_factor() const {
  double value = 0;
  const char* end = residual_scale.data() + residual_scale.size();
  const auto [rest, error] = std::from_chars(residual_scale.data(), end, value);
  if (error != std::errc() || rest != end ||
      !(value >= kMinResidualScale && value <= kMaxResidualScale)) {
    fail<OptionError>("--residual-scale", "expected a number from {} to {}, or {}; got '{}'",
                      kMinResidualScale, kMaxResidualScale, kDeepNorm, residual_scale);
  }
  return value;
}

void TransformerOptions::check() const {
  attention.check();
  if (is_deepnorm() && !norm.placement.is<PostNorm>()) {
    fail<OptionError>("--residual-scale",
                      "deepnorm is made for norms after the sublayers; expected --transformer-norm "
                      "post, got {}",
                      norm.placement.name());
  }
  if (!is_deepnorm()) residual_factor();
  if (!norm.first && norm.placement.is<PostNorm>()) {
    fail<OptionError>("--transformer-first-norm",
                      "post norms are after the sublayers; expected --transformer-norm pre or "
                      "sandwich");
  }
  if (!norm.first && !tied_layers.empty()) {
    fail<OptionError>("--tied-layers",
                      "layers that share the first one's weights would have no norm either; "
                      "expected --transformer-first-norm true");
  }
  if (attention.kind.full_layers().any() && !tied_layers.empty()) {
    fail<OptionError>("--tied-layers",
                      "layers that share their weights have one kind of attention; expected "
                      "--attention-full-every 0 and --attention-full-lowest 0");
  }
  if (norm.kind.is<BatchNormOptions>() && !tied_layers.empty()) {
    fail<OptionError>("--tied-layers",
                      "layers that share a batch norm would mix their running statistics; expected "
                      "--norm-kind layer or rms");
  }
}

}  // namespace weft::nn
