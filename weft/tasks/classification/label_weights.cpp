#include "weft/tasks/classification/label_weights.h"

#include <algorithm>
#include <charconv>

#include "weft/core/error.h"
#include "weft/core/text/nearest.h"

namespace weft::tasks {
namespace {

constexpr const char* kOption = "--class-weights";
constexpr double kHighestPositive = 100, kHighest = 1e6;

float balanced(const LabelFrequencies& frequencies, size_t label, bool is_one_label) {
  const auto texts = static_cast<double>(frequencies.texts);
  const auto count = static_cast<double>(std::max<int64_t>(1, frequencies.counts[label]));
  if (is_one_label) {
    return static_cast<float>(texts / (static_cast<double>(frequencies.counts.size()) * count));
  }
  return static_cast<float>(std::min(kHighestPositive, (texts - count) / count));
}

double parse_weight(std::string_view text, const std::string& value) {
  double weight = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), weight);
  if (error != std::errc() || rest != text.data() + text.size() ||
      !(weight >= 0 && weight <= kHighest)) {
    fail<OptionError>(kOption, "expected LABEL=WEIGHT with a number from 0 to {}, got {}", kHighest,
                      quote(value));
  }
  return weight;
}

}  // namespace

ops::RowWeights label_weights(const std::vector<std::string>& values, const data::LabelSet& labels,
                              const LabelFrequencies& frequencies, bool is_one_label) {
  if (values.empty()) return nullptr;
  std::vector<float> out(static_cast<size_t>(labels.size()), 1);
  if (values.size() == 1 && values.front() == "balanced") {
    for (size_t i = 0; i < out.size(); ++i) out[i] = balanced(frequencies, i, is_one_label);
    return std::make_shared<const std::vector<float>>(std::move(out));
  }
  for (const std::string& value : values) {
    const size_t sign = value.rfind('=');
    if (sign == std::string::npos) {
      fail<OptionError>(kOption, "expected balanced, or LABEL=WEIGHT; got {}", quote(value));
    }
    const std::string_view name = std::string_view(value).substr(0, sign);
    const int32_t label = labels.find(name);
    if (label < 0) {
      fail<OptionError>(kOption, "the label {} is not in the training text{}", quote(name),
                        nearest_hint(name, labels.names()));
    }
    out[static_cast<size_t>(label)] =
        static_cast<float>(parse_weight(std::string_view(value).substr(sign + 1), value));
  }
  return std::make_shared<const std::vector<float>>(std::move(out));
}

}  // namespace weft::tasks
