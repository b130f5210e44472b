#include "weft/model_file/gguf/rope_factors.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>
#include <vector>

#include "weft/model_file/gguf/common.h"
#include "weft/nn/position/rotary_scaling.h"

namespace weft::model_file {
namespace {

constexpr const char* kFactors = "rope_freqs.weight";

std::vector<double> factors_of(const nn::Llama3RotaryScaling& scaling, double base, int64_t pairs) {
  std::vector<double> out = ops::rotary_frequencies(base, pairs).rates;
  const std::vector<double> scaled = scaling.frequencies({.base = base, .pairs = pairs}).rates;
  for (size_t i = 0; i < out.size(); ++i) out[i] /= scaled[i];
  return out;
}

// The scaling with low factor 1 that has these factors, if any has. Between 1 and the largest, F,
// the share s of 1 / f = s + (1 - s) / F is linear in the rate r: s = (T r / 2 pi - 1) / (high - 1)
// with T positions of training. Two factors give both numbers, one gives T with Llama's high = 4.
nn::Llama3RotaryScaling scaling_of(std::span<const float> factors, double base) {
  const auto pairs = static_cast<int64_t>(factors.size());
  const std::vector<double> rates = ops::rotary_frequencies(base, pairs).rates;
  nn::Llama3RotaryScaling out{.factor = *std::ranges::max_element(factors)};
  struct Point {
    double rate, share;
  };
  std::vector<Point> between;
  for (size_t i = 0; i < factors.size(); ++i) {
    const double share = (1 / double{factors[i]} - 1 / out.factor) / (1 - 1 / out.factor);
    if (share > 1e-4 && share < 1 - 1e-4) between.push_back({rates[i], share});
  }
  if (between.empty()) return out;
  const Point a = between.front(), b = between.back();
  if (between.size() > 1) {
    const double slope = (a.share - b.share) / (a.rate - b.rate);
    const double high = 1 + 1 / (slope * a.rate - a.share);
    out.high_factor = std::round(high * 1000) / 1000;
  }
  const double turns = 1 + a.share * (out.high_factor - 1);
  const double positions = std::round(2 * std::numbers::pi * turns / a.rate);
  if (positions >= 1 && positions <= 1e12) out.trained_positions = static_cast<int64_t>(positions);
  return out;
}

bool has_factors(const nn::Llama3RotaryScaling& scaling, std::span<const float> factors,
                 double base) {
  if (!(scaling.factor > 1) || !(scaling.high_factor > scaling.low_factor)) return false;
  const std::vector<double> expected = factors_of(scaling, base, std::ssize(factors));
  for (size_t i = 0; i < factors.size(); ++i) {
    if (!(std::abs(factors[i] - expected[i]) <= 1e-4 * expected[i])) return false;
  }
  return true;
}

}  // namespace

void read_rope_factors(GgufReader& in) {
  if (!in.has_tensor(kFactors)) return;
  constexpr const char* kType = "rope.scaling.type";
  if (const Json type = in.config.take_or(kType, "none"); type != "none") {
    in.config.refuse("field '{}' is not supported as {} with tensor '{}'; expected none", kType,
                     short_text(type), kFactors);
  }
  const Tensor tensor = in.tensor(kFactors);
  const std::span<const float> factors(tensor.data<float>(), static_cast<size_t>(tensor.size()));
  constexpr const char* kBase = "rope.freq_base";
  const Json given = in.config.take_or(kBase, 10000.0);
  const double base = given.is_number() ? given.get<double>() : 0;
  const nn::Llama3RotaryScaling scaling = scaling_of(factors, base);
  if (tensor.size() != gguf_key_size(in.config) / 2 || !has_factors(scaling, factors, base)) {
    in.config.refuse("tensor '{}': expected the factors of Llama 3's scaling", kFactors);
  }
  const std::string where = in.config.where() + ": tensor '" + kFactors + "'";
  in.out.set("rotary-scaling", scaling.kName, where);
  in.out.set("rotary-factor", scaling.factor, where);
  in.out.set("rotary-trained-positions", scaling.trained_positions, where);
  in.out.set("rotary-high-factor", scaling.high_factor, where);
}

void write_rope_factors(GgufWriter& out) {
  nn::Llama3RotaryScaling scaling;
  const Json& options = out.options;
  if (options.value("rotary-scaling", "none") != scaling.kName) return;
  scaling.factor = options.value("rotary-factor", scaling.factor);
  scaling.trained_positions = options.value("rotary-trained-positions", scaling.trained_positions);
  scaling.low_factor = options.value("rotary-low-factor", scaling.low_factor);
  scaling.high_factor = options.value("rotary-high-factor", scaling.high_factor);
  const int64_t pairs = out.config.at("rope.dimension_count").get<int64_t>() / 2;
  const double base = options.at("rotary-base");
  const Tensor tensor = Tensor::empty(Shape{pairs});
  std::ranges::copy(factors_of(scaling, base, pairs), tensor.data<float>());
  const nn::Llama3RotaryScaling recovered = scaling_of(tensor.span<float>(), base);
  if (std::tie(recovered.trained_positions, recovered.low_factor, recovered.high_factor) !=
      std::tie(scaling.trained_positions, scaling.low_factor, scaling.high_factor)) {
    fail<OptionError>("--rotary-scaling",
                      "GGUF stores only the frequency factors of llama3, from which the options "
                      "of this model cannot be recovered");
  }
  out.tensors.emplace_back(kFactors, tensor);
}

}  // namespace weft::model_file
