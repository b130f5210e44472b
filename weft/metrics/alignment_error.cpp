#include "weft/metrics/alignment_error.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "weft/core/error.h"
#include "weft/core/links.h"

namespace weft::metrics {
namespace {

using Place = std::pair<int32_t, int32_t>;

// Whether each link of a line is sure; a link given twice is sure where one of them is.
std::map<Place, bool> links_of(const NamedLinks& all, size_t i) {
  std::map<Place, bool> out;
  for (const Link& link : parse_links(all.lines[i], fmt::format("{}:{}", all.name, i + 1))) {
    out[{link.source, link.target}] |= link.is_sure;
  }
  return out;
}

double share(int64_t part, int64_t whole) {
  return whole == 0 ? 1 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

AlignmentScore alignment_error(const NamedLinks& hypotheses, const NamedLinks& references) {
  if (hypotheses.lines.empty() || hypotheses.lines.size() != references.lines.size()) {
    fail<FormatError>(references.name, "{} lines for {} of {}", references.lines.size(),
                      hypotheses.lines.size(), hypotheses.name);
  }
  int64_t found = 0, sure = 0, found_sure = 0, found_possible = 0;
  for (size_t i = 0; i < hypotheses.lines.size(); ++i) {
    const std::map<Place, bool> given = links_of(hypotheses, i);
    const std::map<Place, bool> expected = links_of(references, i);
    found += std::ssize(given);
    for (const auto& [place, is_sure] : expected) {
      const bool is_found = given.contains(place);
      sure += is_sure ? 1 : 0;
      found_sure += is_sure && is_found ? 1 : 0;
      found_possible += is_found ? 1 : 0;
    }
  }
  return {share(found_possible, found), share(found_sure, sure),
          1 - share(found_sure + found_possible, found + sure)};
}

}  // namespace weft::metrics
