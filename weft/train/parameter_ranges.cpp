#include "weft/train/parameter_ranges.h"

#include <fnmatch.h>

#include <algorithm>

#include "weft/core/error.h"

namespace weft::train {
namespace {

bool matches(const std::string& name, const std::string& pattern) {
  return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

void append(std::vector<Range>& ranges, Range next) {
  if (!ranges.empty() && ranges.back().end == next.begin) {
    ranges.back().end = next.end;
  } else {
    ranges.push_back(next);
  }
}

}  // namespace

ParameterRanges parameter_ranges(const std::vector<nn::NamedParameter>& parameters,
                                 const std::vector<std::string>& frozen) {
  for (const std::string& pattern : frozen) {
    const bool is_used = std::ranges::any_of(
        parameters, [&](const nn::NamedParameter& p) { return matches(p.name, pattern); });
    if (is_used) continue;
    fail<OptionError>("--freeze",
                      "'{}' matches no parameter of the model; hint: they are named as in {}",
                      pattern, parameters[parameters.size() / 2].name);
  }
  ParameterRanges out;
  int64_t begin = 0;
  for (const nn::NamedParameter& p : parameters) {
    const Range here{begin, begin + p.parameter->shape.size()};
    const bool is_frozen = std::ranges::any_of(
        frozen, [&](const std::string& pattern) { return matches(p.name, pattern); });
    append(is_frozen || p.parameter->is_statistic ? out.fixed : out.trained, here);
    if (is_frozen) out.frozen += here.size();
    if (is_frozen && p.parameter->is_statistic) out.frozen_statistics.push_back(here);
    begin = here.end;
  }
  if (out.trained.empty()) fail<OptionError>("--freeze", "freezes all parameters of the model");
  return out;
}

}  // namespace weft::train
