#include "weft/metrics/text/error_rate.h"

#include <algorithm>
#include <numeric>

#include "weft/metrics/accuracy.h"
#include "weft/metrics/text/text.h"

namespace weft::metrics {
namespace {

template <class Sequence>
int64_t edit_distance(const Sequence& a, const Sequence& b) {
  std::vector<int64_t> row(b.size() + 1);  // distances of a[0, i) and b[0, j)
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    int64_t diagonal = row[0];
    row[0] = static_cast<int64_t>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int64_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

ErrorRate rate_of(std::span<const double> sums) {
  return {static_cast<int64_t>(sums[0]), static_cast<int64_t>(sums[1])};
}

template <class Split>
Statistics error_statistics(std::span<const std::string> hypotheses,
                            std::span<const std::string> references, Split split) {
  check_same_count("error rate", references.size(), hypotheses.size());
  Statistics out{.width = 2};
  for (size_t i = 0; i < references.size(); ++i) {
    const auto reference = split(references[i]);
    out.values.push_back(static_cast<double>(edit_distance(reference, split(hypotheses[i]))));
    out.values.push_back(static_cast<double>(reference.size()));
  }
  out.score = [](std::span<const double> sums) { return rate_of(sums).value(); };
  return out;
}

}  // namespace

double ErrorRate::value() const {
  if (length == 0) return errors == 0 ? 0 : 1;
  return static_cast<double>(errors) / static_cast<double>(length);
}

Statistics word_error_statistics(std::span<const std::string> hypotheses,
                                 std::span<const std::string> references) {
  return error_statistics(hypotheses, references,
                          [](const std::string& text) { return split(decode_utf8(text)); });
}

Statistics character_error_statistics(std::span<const std::string> hypotheses,
                                      std::span<const std::string> references) {
  return error_statistics(hypotheses, references, [](const std::string& text) {
    return std::u32string(trim(decode_utf8(text)));
  });
}

ErrorRate word_error_rate(std::span<const std::string> hypotheses,
                          std::span<const std::string> references) {
  return rate_of(word_error_statistics(hypotheses, references).total());
}

ErrorRate character_error_rate(std::span<const std::string> hypotheses,
                               std::span<const std::string> references) {
  return rate_of(character_error_statistics(hypotheses, references).total());
}

}  // namespace weft::metrics
