#include "weft/metrics/multi_label.h"

#include <algorithm>

#include "weft/core/error.h"

namespace weft::metrics {
namespace {

std::vector<int32_t> sorted_labels(std::span<const int32_t> labels, size_t count) {
  std::vector<int32_t> out(labels.begin(), labels.end());
  std::ranges::sort(out);
  if (std::ranges::adjacent_find(out) != out.end()) {
    fail<FormatError>("labels", "duplicate label {} in one item", *std::ranges::adjacent_find(out));
  }
  if (!out.empty() && (out.front() < 0 || out.back() >= static_cast<int64_t>(count))) {
    fail<FormatError>("labels", "label {}; expected 0 to {}",
                      out.front() < 0 ? out.front() : out.back(), static_cast<int64_t>(count) - 1);
  }
  return out;
}

}  // namespace

void MultiLabelF1::add(std::span<const int32_t> expected, std::span<const int32_t> predicted) {
  const std::vector<int32_t> expected_labels = sorted_labels(expected, counts_.size());
  const std::vector<int32_t> predicted_labels = sorted_labels(predicted, counts_.size());
  for (const int32_t label : expected_labels) ++counts_[label].expected;
  for (const int32_t label : predicted_labels) {
    ++counts_[label].predicted;
    if (std::ranges::binary_search(expected_labels, label)) ++counts_[label].correct;
  }
  ++items_;
  exact_ += expected_labels == predicted_labels ? 1 : 0;
}

LabelReport MultiLabelF1::report(std::span<const std::string> names) const {
  if (names.size() != counts_.size()) {
    fail<FormatError>("labels", "expected {} label names, got {}", counts_.size(), names.size());
  }
  std::vector<LabelRow> rows;
  for (size_t i = 0; i < names.size(); ++i) rows.push_back({names[i], counts_[i]});
  return make_label_report(std::move(rows));
}

double MultiLabelF1::subset_accuracy() const {
  return items_ == 0 ? 0 : static_cast<double>(exact_) / static_cast<double>(items_);
}

}  // namespace weft::metrics
