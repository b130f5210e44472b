#include "weft/predict/generation/generation_options.h"

#include <algorithm>

#include "weft/core/error.h"
#include "weft/options/option_table.h"

namespace weft::predict {

std::optional<decode::Sampling> GenerationOptions::sampling() const {
  if (is_greedy()) return std::nullopt;
  decode::SamplingChain chain;
  const auto add = [&](const auto& link) {
    if (link.is_on()) chain.emplace_back(link);
  };
  std::apply([&](const auto&... filter) { (add(filter), ...); }, filters);
  add(decode::Temperature{temperature});
  return decode::Sampling{.chain = chain, .seed = static_cast<uint64_t>(seed)};
}

void GenerationOptions::validate() const {
  constexpr double kLeastTemperature = 0.01;
  if (temperature > 0 && temperature < kLeastTemperature) {
    fail<OptionError>("--temperature", "{} is too small; expected 0, or at least {}", temperature,
                      kLeastTemperature);
  }
  penalties.validate();
  dry.validate();
  std::get<decode::Xtc>(filters).validate();
  if (!context_shift) {
    options::check_unread(
        *this, [](std::string_view name) { return name != "keep"; }, "without --context-shift");
  } else if (beam_size > 1 || !constraints.empty()) {
    fail<OptionError>("--context-shift", "contradicts {}; expected one of them",
                      beam_size > 1 ? "--beam-size" : "--constraints");
  }
  if (std::ranges::count(stop, "") > 0) fail<OptionError>("--stop", "a string is empty");
  if (!draft.empty() && (beam_size > 1 || samples > 1)) {
    fail<OptionError>("--draft", "is for one continuation of a prompt; expected {} 1, got {}",
                      beam_size > 1 ? "--beam-size" : "--samples", std::max(beam_size, samples));
  }
  const auto check_unread = [&](auto is_read, std::string_view when) {
    options::check_unread(*this, is_read, when);
  };
  if (!is_greedy()) {
    check_unread([](std::string_view name) { return name != "beam-size" && name != "constraints"; },
                 "without --temperature 0");
    return;
  }
  constexpr std::string_view kOfSampling[] = {"top-n-sigma",   "top-k", "typical-p",
                                              "top-p",         "min-p", "xtc-probability",
                                              "xtc-threshold", "seed",  "samples"};
  check_unread([&](std::string_view name) { return std::ranges::count(kOfSampling, name) == 0; },
               "with --temperature 0");
}

}  // namespace weft::predict
