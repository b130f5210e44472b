#include "weft/data/corpus/corpus_report.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "weft/core/text/counted.h"

namespace weft::data {

std::string CorpusReport::text() const {
  std::vector<std::string> parts;
  const auto count = [&](int64_t n, std::string_view what) {
    if (n > 0) parts.push_back(fmt::format("{} {}", n, what));
  };
  count(empty, "empty");
  count(too_long, "too long");
  count(cropped, "cropped");
  count(bad_utf8, "not UTF-8");
  count(over_long, "over the limit in bytes");
  count(few_columns, "with too few columns");
  std::string out = fmt::format("{}: {}, {} kept", name, counted(lines, "line"), kept);
  if (!parts.empty()) out += fmt::format(" ({})", fmt::join(parts, ", "));
  if (kept == 0) return out;
  std::vector<std::string> shares;
  for (size_t field = 0; field < tokens.size(); ++field) {
    const double share = 100.0 * unknown[field] / std::max<int64_t>(1, tokens[field]);
    shares.push_back(fmt::format("{:.3g} %", share));
  }
  return out +
         fmt::format("; tokens {}, unknown {}", fmt::join(tokens, " + "), fmt::join(shares, " + "));
}

}  // namespace weft::data
