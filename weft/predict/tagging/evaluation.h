// Labels that a tagger gave beside those that were expected.
#ifndef WEFT_PREDICT_TAGGING_EVALUATION_H_
#define WEFT_PREDICT_TAGGING_EVALUATION_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/data/labels/label_set.h"
#include "weft/metrics/confusion.h"
#include "weft/metrics/span_f1.h"

namespace weft::predict {

// The labels of a text: for each column those of its words, or the one of the text.
using TextLabels = std::vector<std::vector<std::string_view>>;

// One column over all texts.
class ColumnEvaluation {
 public:
  explicit ColumnEvaluation(const data::LabelSet& labels);

  // Labels of the same words. Labels that are not in the set are counted, too.
  void add(std::span<const std::string_view> expected, std::span<const std::string_view> given);

  bool marks_spans() const { return marks_spans_; }
  double accuracy() const;
  double span_f1() const { return spans_.report().micro.f1; }
  // Of spans, as seqeval has it, where labels mark some; else of labels, as scikit-learn.
  metrics::LabelReport report() const;
  metrics::ConfusionMatrix confusion() const;
  const std::vector<std::string>& names() const { return names_; }  // of its labels
  int64_t unseen() const { return unseen_; }  // expected labels that the set does not have

 private:
  int32_t id_of(std::string_view label);

  bool marks_spans_;
  std::vector<std::string> names_;  // the set's, then others as they come
  data::TextMap<int32_t> ids_;
  int32_t known_;  // labels of the set
  int64_t unseen_ = 0;
  std::vector<int32_t> expected_, given_;
  metrics::SpanF1 spans_;
};

class TagEvaluation {
 public:
  // The sets of words come first.
  TagEvaluation(const std::vector<data::LabelSet>& labels, size_t word_columns);

  // Throws FormatError for another number of labels than expected.
  void add(const TextLabels& expected, const TextLabels& given);

  const std::vector<ColumnEvaluation>& columns() const { return columns_; }
  size_t word_columns() const { return word_columns_; }
  int64_t texts() const { return texts_; }
  // The share of texts all of whose labels are right.
  double exact_match() const;

 private:
  std::vector<ColumnEvaluation> columns_;
  size_t word_columns_;
  int64_t texts_ = 0, right_ = 0;
};

}  // namespace weft::predict

#endif  // WEFT_PREDICT_TAGGING_EVALUATION_H_
