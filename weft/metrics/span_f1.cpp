#include "weft/metrics/span_f1.h"

#include <algorithm>

#include "weft/data/labels/tag_spans.h"
#include "weft/metrics/accuracy.h"

namespace weft::metrics {
namespace {

// Sorted and without duplicates, which malformed tags can produce.
std::vector<data::TagSpan> spans_of(std::span<const std::string_view> tags, SpanMatching params) {
  if (params == SpanMatching::kStrictBio)
    return data::strict_tag_spans(tags, data::TagScheme::kBio);
  if (params == SpanMatching::kStrictIobes)
    return data::strict_tag_spans(tags, data::TagScheme::kIobes);
  std::vector<data::TagSpan> out = data::tag_spans(tags);
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

void SpanF1::add(std::span<const std::string_view> expected,
                 std::span<const std::string_view> predicted) {
  check_same_count("span F1", expected.size(), predicted.size());
  const auto counts_of = [&](std::string_view type) -> LabelCounts& {
    const auto found = counts_.find(type);
    return found != counts_.end() ? found->second : counts_[std::string(type)];
  };
  const std::vector<data::TagSpan> expected_spans = spans_of(expected, params_);
  const std::vector<data::TagSpan> predicted_spans = spans_of(predicted, params_);
  for (const data::TagSpan& span : expected_spans) ++counts_of(span.type).expected;
  for (const data::TagSpan& span : predicted_spans) {
    LabelCounts& counts = counts_of(span.type);
    ++counts.predicted;
    if (std::ranges::binary_search(expected_spans, span)) ++counts.correct;
  }
}

LabelReport SpanF1::report() const {
  std::vector<LabelRow> rows;
  for (const auto& [type, counts] : counts_) rows.push_back({type, counts});
  return make_label_report(std::move(rows));
}

}  // namespace weft::metrics
