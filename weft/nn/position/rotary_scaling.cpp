#include "weft/nn/position/rotary_scaling.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "weft/core/error.h"

namespace weft::nn {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

// The pair, counted in fractions, that makes `turns` over the positions of training.
double pair_of_turns(double turns, int64_t positions, const RotaryDims& dims) {
  const double reach = static_cast<double>(positions) / (turns * kTurn);
  return static_cast<double>(dims.pairs) * std::log(reach) / std::log(dims.base);
}

}  // namespace

ops::RotaryFrequencies NoRotaryScaling::frequencies(const RotaryDims& dims) const {
  return ops::rotary_frequencies(dims.base, dims.pairs);
}

ops::RotaryFrequencies LinearRotaryScaling::frequencies(const RotaryDims& dims) const {
  ops::RotaryFrequencies out = ops::rotary_frequencies(dims.base, dims.pairs);
  for (double& rate : out.rates) rate /= factor;
  return out;
}

ops::RotaryFrequencies NtkRotaryScaling::frequencies(const RotaryDims& dims) const {
  if (dims.pairs < 2) return ops::rotary_frequencies(dims.base, dims.pairs);
  const auto pairs = static_cast<double>(dims.pairs);
  return ops::rotary_frequencies(dims.base * std::pow(factor, pairs / (pairs - 1)), dims.pairs);
}

void YarnRotaryScaling::check(double base) const {
  if (!(base > 1)) fail<OptionError>("--rotary-base", "expected over 1 with yarn, got {}", base);
  if (beta_fast > beta_slow) return;
  fail<OptionError>("--rotary-beta-fast", "expected over --rotary-beta-slow {}, got {}", beta_slow,
                    beta_fast);
}

ops::RotaryFrequencies YarnRotaryScaling::frequencies(const RotaryDims& dims) const {
  ops::RotaryFrequencies out = ops::rotary_frequencies(dims.base, dims.pairs);
  const double last = static_cast<double>(2 * dims.pairs - 1);
  const double low = std::max(0.0, std::floor(pair_of_turns(beta_fast, trained_positions, dims)));
  const double high = std::min(last, std::ceil(pair_of_turns(beta_slow, trained_positions, dims)));
  const double width = high == low ? 1e-3 : high - low;
  for (size_t f = 0; f < out.rates.size(); ++f) {
    const double ramp = std::clamp((static_cast<double>(f) - low) / width, 0.0, 1.0);
    out.rates[f] *= (1 - ramp) + ramp / factor;
  }
  out.magnitude = magnitude > 0 ? magnitude : 0.1 * std::log(factor) + 1;
  return out;
}

void Llama3RotaryScaling::check(double) const {
  if (high_factor > low_factor) return;
  fail<OptionError>("--rotary-high-factor", "expected over --rotary-low-factor {}, got {}",
                    low_factor, high_factor);
}

ops::RotaryFrequencies Llama3RotaryScaling::frequencies(const RotaryDims& dims) const {
  ops::RotaryFrequencies out = ops::rotary_frequencies(dims.base, dims.pairs);
  for (double& rate : out.rates) {
    // 1 where the wavelength is below trained / high, 0 where it is over trained / low.
    const double waves = static_cast<double>(trained_positions) * rate / kTurn;
    const double share = std::clamp((waves - low_factor) / (high_factor - low_factor), 0.0, 1.0);
    rate *= share + (1 - share) / factor;
  }
  return out;
}

}  // namespace weft::nn
