// F1 of tagged spans (chunks, named entities, slots), equal to seqeval's.
#ifndef WEFT_METRICS_SPAN_F1_H_
#define WEFT_METRICS_SPAN_F1_H_

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "weft/metrics/label_report.h"

namespace weft::metrics {

// How spans are read from tags; see core/tag_spans.h.
enum class SpanMatching {
  kLenient,      // as conlleval and seqeval's default
  kStrictBio,    // as seqeval's mode="strict", scheme=IOB2
  kStrictIobes,  // as seqeval's mode="strict", scheme=IOBES
};

// Accumulates span counts over sentences. A span is correct if type, first and last word match.
class SpanF1 {
 public:
  explicit SpanF1(SpanMatching params = SpanMatching::kLenient) : params_(params) {}

  // Adds one sentence. Throws FormatError if the numbers of tags differ and, under a strict rule,
  // for a tag outside the scheme.
  void add(std::span<const std::string_view> expected, std::span<const std::string_view> predicted);

  // One row per span type that was expected or predicted, in byte order. The usual span F1 is the
  // micro average.
  LabelReport report() const;

 private:
  SpanMatching params_;
  std::map<std::string, LabelCounts, std::less<>> counts_;
};

}  // namespace weft::metrics

#endif  // WEFT_METRICS_SPAN_F1_H_
