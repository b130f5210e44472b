#include "weft/metrics/text/rouge.h"

#include <algorithm>

#include "weft/core/text/unicode.h"
#include "weft/metrics/text/corpus.h"
#include "weft/metrics/text/ngrams.h"
#include "weft/metrics/text/text.h"

namespace weft::metrics {
namespace {

using Words = std::vector<std::string>;

Words words_of(const std::string& line) {
  Words out;
  bool inside = false;
  for (const char32_t c : to_lower(decode_utf8(line))) {
    const bool is_of_word = (c >= U'a' && c <= U'z') || (c >= U'0' && c <= U'9');
    if (is_of_word && !inside) out.emplace_back();
    if (is_of_word) out.back().push_back(static_cast<char>(c));
    inside = is_of_word;
  }
  return out;
}

int64_t longest_common_subsequence(const Words& a, const Words& b) {
  std::vector<int64_t> row(b.size() + 1);  // of a[0, i) and b[0, j)
  for (const std::string& word : a) {
    int64_t diagonal = 0;
    for (size_t j = 1; j <= b.size(); ++j) {
      const int64_t above = row[j];
      row[j] = word == b[j - 1] ? diagonal + 1 : std::max(above, row[j - 1]);
      diagonal = above;
    }
  }
  return row.back();
}

RougeScore score_of(int64_t both, int64_t hypothesis, int64_t reference) {
  RougeScore out;
  out.precision = static_cast<double>(both) / static_cast<double>(std::max<int64_t>(hypothesis, 1));
  out.recall = static_cast<double>(both) / static_cast<double>(std::max<int64_t>(reference, 1));
  if (both > 0) out.f1 = 2 * out.precision * out.recall / (out.precision + out.recall);
  return out;
}

RougeScore compare(RougeKind kind, const Words& hypothesis, const Words& reference) {
  if (kind == RougeKind::kL) {
    return score_of(longest_common_subsequence(reference, hypothesis), std::ssize(hypothesis),
                    std::ssize(reference));
  }
  const size_t n = kind == RougeKind::k1 ? 1 : 2;
  const NgramCounts<std::string> found(hypothesis, n), expected(reference, n);
  return score_of(found.matches(expected), found.total(), expected.total());
}

}  // namespace

RougeScore rouge(RougeKind kind, const std::string& hypothesis, const std::string& reference) {
  return compare(kind, words_of(hypothesis), words_of(reference));
}

Statistics rouge_statistics(RougeKind kind, std::span<const std::string> hypotheses,
                            std::span<const std::vector<std::string>> references) {
  check_corpus("rouge", hypotheses, references);
  Statistics out{.width = 4};
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    RougeScore best{.f1 = -1};
    for (const std::vector<std::string>& reference : references) {
      const RougeScore score = rouge(kind, hypotheses[i], reference[i]);
      if (score.f1 > best.f1) best = score;
    }
    out.values.insert(out.values.end(), {best.precision, best.recall, best.f1, 1});
  }
  out.score = [](std::span<const double> sums) { return sums[2] / sums[3]; };
  return out;
}

}  // namespace weft::metrics
