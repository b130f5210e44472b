#include "weft/predict/translation/text_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

#include "weft/core/text/counted.h"

namespace weft::predict {

std::string TextReport::text() const {
  std::vector<std::string> parts;
  const auto count = [&](int64_t n, std::string_view what) {
    if (n > 0) parts.push_back(fmt::format("{} {}", n, what));
  };
  count(empty, "empty");
  count(over_long, "over the limit in bytes (left empty)");
  count(bad_utf8, "not UTF-8 (left empty)");
  count(split, "split at sentence ends");
  count(cropped, "cropped");
  count(unfinished, "whose translation was cut off at --max-length-factor or --max-output-length");
  count(incomplete, "whose translation lacks what it had to hold");
  count(with_unknown, "with unknown tokens");
  count(not_finite.count, text_of(not_finite));
  return fmt::format("{}{}{}", counted(lines, "line"), parts.empty() ? "" : ": ",
                     fmt::join(parts, ", "));
}

}  // namespace weft::predict
