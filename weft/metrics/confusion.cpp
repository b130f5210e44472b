#include "weft/metrics/confusion.h"

#include <fmt/core.h>

#include <algorithm>

#include "weft/core/error.h"
#include "weft/metrics/accuracy.h"

namespace weft::metrics {

void ConfusionMatrix::add(int32_t expected, int32_t predicted) {
  for (const int32_t label : {expected, predicted}) {
    if (label < 0 || label >= labels_) {
      fail<FormatError>("confusion matrix", "label {}; expected 0 to {}", label, labels_ - 1);
    }
  }
  ++counts_[{expected, predicted}];
  ++total_;
}

void ConfusionMatrix::add(std::span<const int32_t> expected, std::span<const int32_t> predicted) {
  check_same_count("confusion matrix", expected.size(), predicted.size());
  for (size_t i = 0; i < expected.size(); ++i) add(expected[i], predicted[i]);
}

int64_t ConfusionMatrix::count(int32_t expected, int32_t predicted) const {
  const auto found = counts_.find({expected, predicted});
  return found == counts_.end() ? 0 : found->second;
}

double ConfusionMatrix::accuracy() const {
  int64_t correct = 0;
  for (const auto& [pair, count] : counts_) correct += pair.first == pair.second ? count : 0;
  return total_ == 0 ? 0 : static_cast<double>(correct) / static_cast<double>(total_);
}

LabelReport ConfusionMatrix::report(std::span<const std::string> names) const {
  check_names(names);
  std::map<int32_t, LabelCounts> by_label;
  for (const auto& [pair, count] : counts_) {
    by_label[pair.first].expected += count;
    by_label[pair.second].predicted += count;
    if (pair.first == pair.second) by_label[pair.first].correct += count;
  }
  std::vector<LabelRow> rows;
  rows.reserve(by_label.size());
  for (const auto& [label, counts] : by_label) rows.push_back({names[label], counts});
  LabelReport out = make_label_report(std::move(rows));
  out.accuracy = accuracy();
  return out;
}

std::vector<Confusion> ConfusionMatrix::most_frequent(size_t limit) const {
  std::vector<Confusion> out;
  for (const auto& [pair, count] : counts_) {
    if (pair.first != pair.second) out.push_back({pair.first, pair.second, count});
  }
  std::ranges::stable_sort(out, std::ranges::greater(), &Confusion::count);
  out.resize(std::min(out.size(), limit));
  return out;
}

std::string ConfusionMatrix::tsv(std::span<const std::string> names) const {
  check_names(names);
  std::string out = "expected \\ predicted";
  for (const std::string& name : names) out += "\t" + name;
  out += '\n';
  for (int32_t expected = 0; expected < labels_; ++expected) {
    out += names[expected];
    for (int32_t predicted = 0; predicted < labels_; ++predicted) {
      out += fmt::format("\t{}", count(expected, predicted));
    }
    out += '\n';
  }
  return out;
}

void ConfusionMatrix::check_names(std::span<const std::string> names) const {
  if (std::ssize(names) != labels_) {
    fail<FormatError>("confusion matrix", "expected {} label names, got {}", labels_, names.size());
  }
}

}  // namespace weft::metrics
