#include "weft/metrics/alignment_error.h"

#include <fmt/core.h>

#include <map>
#include <set>

#include "weft/core/error.h"
#include "weft/core/files/links.h"

namespace weft::metrics {
namespace {

using Position = std::pair<int32_t, int32_t>;

// The links of a line, each with whether it is sure. A repeated link is sure if any of them is.
std::map<Position, bool> links_of(const NamedLinks& all, size_t i) {
  std::map<Position, bool> out;
  for (const Link& link : parse_links(all.lines[i], fmt::format("{}:{}", all.name, i + 1))) {
    out[{link.source, link.target}] |= link.is_sure;
  }
  return out;
}

double ratio_or_one(int64_t part, int64_t whole) {
  return whole == 0 ? 1 : static_cast<double>(part) / static_cast<double>(whole);
}

AlignmentScore score_of(std::span<const double> sums) {
  const auto count = [&](size_t k) { return static_cast<int64_t>(sums[k]); };
  const int64_t found = count(0), sure = count(1), found_sure = count(2), found_possible = count(3);
  return {ratio_or_one(found_possible, found), ratio_or_one(found_sure, sure),
          1 - ratio_or_one(found_sure + found_possible, found + sure)};
}

}  // namespace

Statistics alignment_statistics(const NamedLinks& hypotheses, const NamedLinks& references) {
  if (hypotheses.lines.empty() || hypotheses.lines.size() != references.lines.size()) {
    fail<FormatError>(references.name, "expected as many lines as in {}, {}; got {}",
                      hypotheses.name, hypotheses.lines.size(), references.lines.size());
  }
  Statistics out{.width = 4};
  for (size_t i = 0; i < hypotheses.lines.size(); ++i) {
    const std::map<Position, bool> predicted = links_of(hypotheses, i);
    int64_t sure = 0, found_sure = 0, found_possible = 0;
    for (const auto& [position, is_sure] : links_of(references, i)) {
      const bool is_found = predicted.contains(position);
      sure += is_sure ? 1 : 0;
      found_sure += is_sure && is_found ? 1 : 0;
      found_possible += is_found ? 1 : 0;
    }
    for (const int64_t count :
         {static_cast<int64_t>(predicted.size()), sure, found_sure, found_possible}) {
      out.values.push_back(static_cast<double>(count));
    }
  }
  out.score = [](std::span<const double> sums) { return score_of(sums).error_rate; };
  return out;
}

AlignmentScore alignment_error(const NamedLinks& hypotheses, const NamedLinks& references) {
  return score_of(alignment_statistics(hypotheses, references).total());
}

}  // namespace weft::metrics
