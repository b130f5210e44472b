#include "weft/predict/tagging/evaluation.h"

#include <algorithm>

#include "weft/core/error.h"
#include "weft/data/labels/bio.h"
#include "weft/metrics/accuracy.h"

namespace weft::predict {

ColumnEvaluation::ColumnEvaluation(const data::LabelSet& labels)
    : marks_spans_(data::mark_spans(labels.names())), known_(labels.size()) {
  for (const std::string& name : labels.names()) id_of(name);
}

int32_t ColumnEvaluation::id_of(std::string_view label) {
  const auto found = ids_.find(label);
  if (found != ids_.end()) return found->second;
  const auto id = static_cast<int32_t>(names_.size());
  names_.emplace_back(label);
  ids_.emplace(label, id);
  return id;
}

void ColumnEvaluation::add(std::span<const std::string_view> expected,
                           std::span<const std::string_view> given) {
  metrics::check_same_count("labels", expected.size(), given.size());
  for (const std::string_view label : expected) {
    expected_.push_back(id_of(label));
    if (expected_.back() >= known_) ++unseen_;
  }
  for (const std::string_view label : given) given_.push_back(id_of(label));
  if (marks_spans_) spans_.add(expected, given);
}

double ColumnEvaluation::accuracy() const { return metrics::accuracy(expected_, given_); }

metrics::ConfusionMatrix ColumnEvaluation::confusion() const {
  metrics::ConfusionMatrix out(static_cast<int32_t>(names_.size()));
  out.add(expected_, given_);
  return out;
}

metrics::LabelReport ColumnEvaluation::report() const {
  return marks_spans_ ? spans_.report() : confusion().report(names_);
}

TagEvaluation::TagEvaluation(const std::vector<data::LabelSet>& labels, size_t word_columns)
    : word_columns_(word_columns) {
  for (const data::LabelSet& set : labels) columns_.emplace_back(set);
}

void TagEvaluation::add(const TextLabels& expected, const TextLabels& given) {
  metrics::check_same_count("columns", expected.size(), given.size());
  for (size_t c = 0; c < expected.size(); ++c) columns_[c].add(expected[c], given[c]);
  ++texts_;
  right_ += expected == given ? 1 : 0;
}

double TagEvaluation::exact_match() const {
  return texts_ == 0 ? 0 : static_cast<double>(right_) / static_cast<double>(texts_);
}

}  // namespace weft::predict
