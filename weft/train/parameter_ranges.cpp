#include "weft/train/parameter_ranges.h"

#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "weft/core/error.h"
#include "weft/train/layer_depth.h"

namespace weft::train {
namespace {

// Which parameters' names match. Throws OptionError if none does.
std::vector<bool> find_matching(const std::vector<nn::NamedParameter>& parameters,
                                const std::string& pattern, std::string_view option) {
  std::vector<bool> out(parameters.size());
  for (size_t i = 0; i < parameters.size(); ++i) {
    out[i] = fnmatch(pattern.c_str(), parameters[i].name.c_str(), 0) == 0;
  }
  if (std::ranges::find(out, true) == out.end()) {
    fail<OptionError>(option,
                      "'{}' matches no parameter of the model; hint: a parameter name is {}",
                      pattern, parameters[parameters.size() / 2].name);
  }
  return out;
}

void append(std::vector<Range>& ranges, Range next) {
  if (!ranges.empty() && ranges.back().end == next.begin) {
    ranges.back().end = next.end;
  } else {
    ranges.push_back(next);
  }
}

void append(std::vector<TrainedRange>& ranges, TrainedRange next) {
  if (!ranges.empty()) {
    Range& last = ranges.back().range;
    TrainedRange extended = ranges.back();
    extended.range = next.range;
    if (last.end == next.range.begin && extended == next) {
      last.end = next.range.end;
      return;
    }
  }
  ranges.push_back(next);
}

// Of each parameter: by its layer, or as part of a head.
std::vector<double> depth_factors(const std::vector<nn::NamedParameter>& parameters,
                                  const RangeOptions& options) {
  std::vector<double> out(parameters.size(), 1);
  const std::vector<LayerDepth> depths = layer_depths(parameters);
  for (size_t i = 0; i < parameters.size(); ++i) {
    out[i] = std::pow(options.layer_decay, static_cast<double>(depths[i].above));
    if (!parameters[i].name.starts_with("model.")) out[i] *= options.head_factor;
  }
  return out;
}

// Of each parameter: that of the last pattern that matches.
std::vector<double> pattern_factors(const std::vector<nn::NamedParameter>& parameters,
                                    std::span<const std::string> options) {
  constexpr std::string_view kOption = "--learn-rate-factors";
  std::vector<double> out(parameters.size(), 1);
  for (const std::string& option : options) {
    const size_t split = option.rfind('=');
    const std::string text = split == std::string::npos ? "" : option.substr(split + 1);
    char* end = nullptr;
    const double factor = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !(factor >= 0) || !std::isfinite(factor)) {
      fail<OptionError>(kOption, "expected PATTERN=X with a number X of at least 0, got '{}'",
                        option);
    }
    const std::vector<bool> matched = find_matching(parameters, option.substr(0, split), kOption);
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (matched[i]) out[i] = factor;
    }
  }
  return out;
}

}  // namespace

std::vector<nn::NamedParameter> matching(const std::vector<nn::NamedParameter>& parameters,
                                         const std::vector<std::string>& patterns,
                                         std::string_view option) {
  std::vector<bool> is_matched(parameters.size());
  for (const std::string& pattern : patterns) {
    const std::vector<bool> matched = find_matching(parameters, pattern, option);
    for (size_t i = 0; i < matched.size(); ++i) is_matched[i] = is_matched[i] || matched[i];
  }
  std::vector<nn::NamedParameter> out;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (is_matched[i]) out.push_back(parameters[i]);
  }
  return out;
}

void freeze(const std::vector<nn::NamedParameter>& parameters,
            const std::vector<std::string>& patterns) {
  for (const nn::NamedParameter& p : matching(parameters, patterns, "--freeze")) {
    p.parameter->freeze();
  }
}

ParameterRanges parameter_ranges(const std::vector<nn::NamedParameter>& parameters,
                                 const RangeOptions& options) {
  std::vector<double> factors = depth_factors(parameters, options);
  const std::vector<double> patterns = pattern_factors(parameters, options.rate_factors);
  for (size_t i = 0; i < factors.size(); ++i) factors[i] *= patterns[i];
  ParameterRanges out;
  int64_t begin = 0;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const nn::Parameter& p = *parameters[i].parameter;
    const Range range{begin, begin + p.shape.size()};
    begin = range.end;
    if (p.is_frozen) out.frozen += range.size();
    if (p.is_frozen || p.is_buffer) {
      append(out.fixed, range);
      continue;
    }
    const bool is_weight = p.is_matrix() && !p.is_embedding;
    append(out.trained,
           {.range = range, .decays = options.decays_all || is_weight, .rate_factor = factors[i]});
  }
  if (out.trained.empty()) fail<OptionError>("--freeze", "freezes all parameters of the model");
  return out;
}

}  // namespace weft::train
