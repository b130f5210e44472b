#include "weft/train/parameter_ranges.h"

#include <fnmatch.h>

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

std::vector<nn::NamedParameter> matching(const std::vector<nn::NamedParameter>& parameters,
                                         const std::vector<std::string>& patterns,
                                         std::string_view option) {
  std::vector<bool> is_matched(parameters.size());
  for (const std::string& pattern : patterns) {
    bool is_used = false;
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (!matches(parameters[i].name, pattern)) continue;
      is_matched[i] = is_used = true;
    }
    if (is_used) continue;
    fail<OptionError>(option,
                      "'{}' matches no parameter of the model; hint: a parameter name is {}",
                      pattern, parameters[parameters.size() / 2].name);
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

ParameterRanges parameter_ranges(const std::vector<nn::NamedParameter>& parameters) {
  ParameterRanges out;
  int64_t begin = 0;
  for (const auto& [name, p] : parameters) {
    const Range range{begin, begin + p->shape.size()};
    append(p->is_frozen || p->is_buffer ? out.fixed : out.trained, range);
    if (p->is_frozen) out.frozen += range.size();
    begin = range.end;
  }
  if (out.trained.empty()) fail<OptionError>("--freeze", "freezes all parameters of the model");
  return out;
}

}  // namespace weft::train
