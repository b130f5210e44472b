#include "weft/metrics/label_report.h"

#include <fmt/core.h>

#include <algorithm>

namespace weft::metrics {
namespace {

double ratio_or_zero(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

void add(F1Score& sum, const F1Score& score, double weight) {
  sum.precision += weight * score.precision;
  sum.recall += weight * score.recall;
  sum.f1 += weight * score.f1;
}

F1Score divide(const F1Score& sum, double divisor) {
  if (divisor == 0) return {};
  return {sum.precision / divisor, sum.recall / divisor, sum.f1 / divisor};
}

// The number of code points, as Python's len().
int64_t length_of(const std::string& text) {
  return std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
}

}  // namespace

LabelCounts& LabelCounts::operator+=(const LabelCounts& other) {
  correct += other.correct;
  predicted += other.predicted;
  expected += other.expected;
  return *this;
}

F1Score f1_of(const LabelCounts& counts) {
  return {ratio_or_zero(counts.correct, counts.predicted),
          ratio_or_zero(counts.correct, counts.expected),
          ratio_or_zero(2 * counts.correct, counts.predicted + counts.expected)};
}

LabelReport make_label_report(std::vector<LabelRow> rows) {
  LabelReport out;
  out.rows = std::move(rows);
  LabelCounts total;
  F1Score macro, weighted;
  for (LabelRow& row : out.rows) {
    row.score = f1_of(row.counts);
    total += row.counts;
    add(macro, row.score, 1);
    add(weighted, row.score, static_cast<double>(row.counts.expected));
  }
  out.micro = f1_of(total);
  out.macro = divide(macro, static_cast<double>(out.rows.size()));
  out.weighted = divide(weighted, static_cast<double>(total.expected));
  out.support = total.expected;
  return out;
}

std::string LabelReport::text(int digits) const {
  const std::string last = "weighted avg";
  int64_t width = std::max<int64_t>(std::ssize(last), digits);
  for (const LabelRow& row : rows) width = std::max(width, length_of(row.label));
  const auto padded = [&](const std::string& label) {
    return std::string(static_cast<size_t>(width - length_of(label)), ' ') + label + ' ';
  };
  const auto line = [&](const std::string& label, const F1Score& score, int64_t count) {
    return fmt::format("{} {:>9.{}f} {:>9.{}f} {:>9.{}f} {:>9}\n", padded(label), score.precision,
                       digits, score.recall, digits, score.f1, digits, count);
  };
  std::string out = fmt::format("{} {:>9} {:>9} {:>9} {:>9}\n\n", padded(""), "precision", "recall",
                                "f1-score", "support");
  for (const LabelRow& row : rows) out += line(row.label, row.score, row.counts.expected);
  out += '\n';
  if (accuracy) {
    out += fmt::format("{} {:>9} {:>9} {:>9.{}f} {:>9}\n", padded("accuracy"), "", "", *accuracy,
                       digits, support);
  } else {
    out += line("micro avg", micro, support);
  }
  return out + line("macro avg", macro, support) + line(last, weighted, support);
}

}  // namespace weft::metrics
