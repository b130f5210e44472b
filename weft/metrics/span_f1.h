// F1 of spans of words that tags mark (chunks, names, slots), equal to seqeval's.
#ifndef WEFT_METRICS_SPAN_F1_H_
#define WEFT_METRICS_SPAN_F1_H_

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "weft/metrics/label_report.h"

namespace weft::metrics {

// Which spans tags mark; see core/tag_spans.h.
enum class SpanRule {
  kLenient,      // as conlleval and seqeval's default
  kStrictBio,    // as seqeval's mode="strict", scheme=IOB2
  kStrictIobes,  // as seqeval's mode="strict", scheme=IOBES
};

// Counts spans over sentences: one is correct where type, first and last word all agree.
class SpanF1 {
 public:
  explicit SpanF1(SpanRule rule = SpanRule::kLenient) : rule_(rule) {}

  // The tags of one sentence. Throws FormatError for different numbers of them, and, under a strict
  // rule, for a tag that is none of its scheme.
  void add(std::span<const std::string_view> expected, std::span<const std::string_view> predicted);

  // A row for each type of span that was expected or predicted, in byte order; the micro average is
  // what is called F1.
  LabelReport report() const;

 private:
  SpanRule rule_;
  std::map<std::string, LabelCounts, std::less<>> counts_;
};

}  // namespace weft::metrics

#endif  // WEFT_METRICS_SPAN_F1_H_
